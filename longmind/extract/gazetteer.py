"""Places known by name: for text without capitals, and for what may follow a comma after a town."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(entry.strip() for entry in text.replace("\n", " ").split(",") if entry.strip())


REGIONS = _words("""
afghanistan, albania, algeria, andorra, angola, argentina, armenia, australia, austria, azerbaijan, bahamas,
bahrain, bangladesh, barbados, belarus, belgium, belize, benin, bhutan, bolivia, bosnia, botswana, brazil,
brunei, bulgaria, burkina faso, burundi, cambodia, cameroon, canada, chad, chile, china, colombia, congo,
costa rica, croatia, cuba, cyprus, czechia, czech republic, denmark, dominican republic, ecuador, egypt, el
salvador, england, eritrea, estonia, eswatini, ethiopia, fiji, finland, france, gabon, gambia, georgia,
germany, ghana, greece, greenland, guatemala, guinea, guyana, haiti, honduras, hong kong, hungary, iceland,
india, indonesia, iran, iraq, ireland, israel, italy, ivory coast, jamaica, japan, jordan, kazakhstan,
kenya, kosovo, kuwait, kyrgyzstan, laos, latvia, lebanon, lesotho, liberia, libya, liechtenstein, lithuania,
luxembourg, madagascar, malawi, malaysia, maldives, mali, malta, mauritania, mauritius, mexico, moldova,
monaco, mongolia, montenegro, morocco, mozambique, myanmar, namibia, nepal, netherlands, the netherlands,
new zealand, nicaragua, niger, nigeria, north korea, north macedonia, northern ireland, norway, oman,
pakistan, palestine, panama, papua new guinea, paraguay, peru, philippines, the philippines, poland,
portugal, puerto rico, qatar, romania, russia, rwanda, samoa, saudi arabia, scotland, senegal, serbia,
sierra leone, singapore, slovakia, slovenia, somalia, south africa, south korea, south sudan, spain, sri
lanka, sudan, suriname, sweden, switzerland, syria, taiwan, tajikistan, tanzania, thailand, togo, trinidad,
tunisia, turkey, turkmenistan, uganda, uk, the uk, ukraine, united arab emirates, uae, united kingdom, the
united kingdom, united states, the united states, uruguay, us, the us, usa, the usa, uzbekistan, vanuatu,
vatican city, venezuela, vietnam, wales, yemen, zambia, zimbabwe, alabama, alaska, arizona, arkansas,
california, colorado, connecticut, delaware, florida, hawaii, idaho, illinois, indiana, iowa, kansas,
kentucky, louisiana, maine, maryland, massachusetts, michigan, minnesota, mississippi, missouri, montana,
nebraska, nevada, new hampshire, new jersey, new mexico, new york, north carolina, north dakota, ohio,
oklahoma, oregon, pennsylvania, rhode island, south carolina, south dakota, tennessee, texas, utah, vermont,
virginia, washington, west virginia, wisconsin, wyoming, al, ak, az, ar, ca, co, ct, de, fl, ga, hi, id, il,
ia, ks, ky, la, md, ma, mi, mn, ms, mo, mt, ne, nv, nh, nj, nm, ny, nc, nd, oh, ok, or, pa, ri, sc, sd, tn,
tx, ut, vt, va, wa, wv, wi, wy, dc, d.c., alberta, british columbia, manitoba, new brunswick, newfoundland,
nova scotia, ontario, quebec, québec, saskatchewan, yukon, new south wales, nsw, queensland, tasmania,
victoria, western australia, south australia, catalonia, andalusia, bavaria, tuscany, sicily, sardinia,
lombardy, provence, brittany, normandy, flanders, wallonia, kerala, punjab, gujarat, karnataka, tamil nadu,
maharashtra, west bengal, yorkshire, cornwall, kent, devon, essex, surrey, sussex
""")

_CODES = frozenset(name for name in REGIONS if len(name) == 2)

CITIES = _words("""
abu dhabi, accra, adelaide, algiers, amsterdam, ankara, antwerp, athens, atlanta, auckland, austin, baghdad,
baltimore, bangalore, bangkok, barcelona, beijing, beirut, belfast, belgrade, berlin, bern, birmingham,
bogota, bogotá, bologna, bordeaux, boston, bratislava, brisbane, bristol, brooklyn, brussels, bucharest,
budapest, buenos aires, buffalo, cairo, calgary, canberra, cape town, caracas, cardiff, casablanca,
charlotte, chennai, chicago, cincinnati, cleveland, cologne, columbus, copenhagen, dakar, dallas, damascus,
delhi, denver, detroit, dhaka, doha, dortmund, dresden, dubai, dublin, düsseldorf, dusseldorf, edinburgh,
edmonton, florence, frankfurt, gdansk, geneva, genoa, ghent, glasgow, gothenburg, granada, guadalajara,
hamburg, hanoi, havana, helsinki, houston, hyderabad, indianapolis, istanbul, jacksonville, jakarta,
jerusalem, johannesburg, kansas city, karachi, kathmandu, kiev, kolkata, krakow, kraków, kuala lumpur, kyiv,
kyoto, la paz, lagos, lahore, las vegas, leeds, leipzig, lima, lisbon, liverpool, ljubljana, london, los
angeles, louisville, lyon, madison, madrid, malaga, málaga, malmö, manchester, manila, marseille, medellin,
medellín, melbourne, memphis, mexico city, miami, milan, milwaukee, minneapolis, monterrey, montevideo,
montreal, montréal, moscow, mumbai, munich, nairobi, naples, nashville, new delhi, new orleans, new york
city, nyc, newcastle, nice, nottingham, oakland, orlando, osaka, oslo, ottawa, oxford, palermo, paris,
perth, philadelphia, phoenix, philly, pittsburgh, portland, porto, prague, pune, queens, quito, reykjavik,
riga, rio de janeiro, rome, rotterdam, sacramento, salt lake city, salzburg, san antonio, san diego, san
francisco, san jose, santiago, sarajevo, seattle, seoul, seville, shanghai, sheffield, shenzhen, sofia, st.
louis, stockholm, stuttgart, sydney, taipei, tallinn, tampa, tehran, tel aviv, the hague, thessaloniki,
tokyo, toronto, toulouse, tucson, tunis, turin, utrecht, valencia, vancouver, vegas, venice, vienna,
vilnius, warsaw, washington dc, wellington, winnipeg, wroclaw, yokohama, zagreb, zurich, zürich, sf, the bay
area, silicon valley
""")

PLACES = (REGIONS - _CODES - {"georgia", "chad", "jordan", "turkey", "guinea"}) | CITIES | {"uk"}
"""Taken as places even in lower case."""
