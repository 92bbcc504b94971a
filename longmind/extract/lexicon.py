"""Words the rules know: occupations, nationalities, religions, illnesses, places and non-names."""

from __future__ import annotations

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(entry.strip() for entry in text.replace("\n", " ").split(",") if entry.strip())


OCCUPATIONS = _words("""
accountant, actor, actress, actuary, administrator, advisor, adviser, agent, analyst, anaesthetist,
animator, apprentice, architect, artist, assistant, associate, astronaut, astronomer, athlete, attorney, au
pair, auditor, author, baker, banker, barber, barista, barrister, bartender, beautician, beekeeper,
biologist, blacksmith, blogger, bookkeeper, bookseller, botanist, brewer, bricklayer, broker, builder, bus
driver, butcher, buyer, captain, caregiver, caretaker, carer, carpenter, cashier, ceo, cfo, chef, chemist,
chiropractor, choreographer, cio, cleaner, clerk, coach, cobbler, comedian, composer, conductor,
confectioner, constable, consultant, contractor, cook, coo, coordinator, copywriter, coroner, counselor,
counsellor, courier, cto, curator, dancer, dean, dentist, designer, detective, developer, dietician,
dietitian, diplomat, director, diver, dj, doctor, drafter, dressmaker, driver, economist, editor,
electrician, engineer, entrepreneur, estate agent, executive, farmer, filmmaker, firefighter, fireman,
fisherman, fitter, flight attendant, florist, freelancer, game designer, gardener, geologist, geneticist,
goldsmith, grocer, guard, guide, gynaecologist, gynecologist, hairdresser, hairstylist, handyman,
headmaster, historian, homemaker, host, housekeeper, housewife, illustrator, inspector, instructor, intern,
interpreter, inventor, investigator, janitor, jeweller, jeweler, joiner, journalist, judge, juggler,
landscaper, lawyer, lecturer, librarian, lieutenant, lifeguard, linguist, locksmith, machinist, magician,
maid, manager, marketer, mason, masseur, masseuse, mathematician, mechanic, mediator, medic, merchant,
midwife, miner, minister, model, musician, nanny, neurologist, notary, novelist, nun, nurse, nutritionist,
optician, optometrist, orthodontist, painter, paralegal, paramedic, pastor, pathologist, pediatrician,
paediatrician, pharmacist, photographer, physician, physicist, physio, physiotherapist, pianist, pilot,
playwright, plumber, podcaster, poet, police officer, policeman, policewoman, officer, politician, porter,
postman, postdoc, potter, priest, principal, probation officer, producer, professor, programmer, prosecutor,
psychiatrist, psychologist, publicist, publisher, rabbi, radiographer, radiologist, ranger, realtor,
receptionist, recruiter, referee, registrar, reporter, researcher, retiree, roofer, sailor, salesman,
salesperson, saleswoman, scientist, sculptor, seamstress, secretary, security guard, sergeant, server,
sheriff, shopkeeper, singer, social worker, soldier, solicitor, songwriter, sonographer, specialist,
statistician, steward, stewardess, stockbroker, stonemason, strategist, streamer, stylist, student,
supervisor, surgeon, surveyor, tailor, tattoo artist, taxi driver, teacher, technician, tester, therapist,
trader, trainee, trainer, translator, trucker, tutor, typist, undertaker, undergrad, undergraduate,
upholsterer, urologist, usher, valet, vet, veterinarian, veteran, vicar, videographer, violinist, waiter,
waitress, warden, watchmaker, weaver, welder, welfare officer, woodworker, worker, writer, youtuber,
zoologist, zookeeper,
corporal, private, major, colonel, bouncer, dispatcher, sous-chef, bailiff,
mail carrier, letter carrier, carrier, postal worker, line cook, stocker, labourer, laborer, anesthetist,
anesthesiologist, cardiologist, dermatologist, oncologist, epidemiologist, marine, royal marine, sommelier,
sign language interpreter, teaching assistant, healthcare assistant, care worker, support worker, scaffolder,
groundskeeper, crane operator, forklift driver, operator, arborist, tree surgeon, ecologist, hydrologist,
air traffic controller, controller, webmaster, data entry clerk, phlebotomist, audiologist, chaplain,
milliner, tuner, piano tuner, plasterer, decorator, warehouse hand, farmhand,
deckhand, stagehand, tiler, glazier, locksmith, signalman, croupier, bursar, archivist, conservator, actuary,
fencer, goalkeeper, goalie, ceramicist, puppeteer, beekeeper, lighthouse keeper, ferryman,
stevedore, roadie, lumberjack,
freshman, sophomore, grad student, phd candidate, phd student, stay-at-home mom,
stay-at-home dad, lead, partner, founder, co-founder, cofounder, president, vice president, vp, chairman,
chairwoman, chair, treasurer, business owner, owner, shop owner, devops, sysadmin, sre, product owner, scrum
master, head, chief
""")
AMBIGUOUS_OCCUPATIONS = _words(
    "agent, assistant, associate, captain, chair, chief, coach, cook, driver, guard, guide, head, host, "
    "carrier, controller, operator, marine, inventor, judge, lead, "
    "magician, model, owner, partner, server, specialist, steward, tester, trader, "
    "veteran, worker"
)
"""Taken only with a modifier or a workplace: "a tour guide", "the lead at Acme"."""

NOT_A_ROLE = _words(
    "good, bad, great, terrible, better, best, big, huge, total, real, natural, born, fast, slow, quick, "
    "visual, night, team, early, late, heavy, light, social, poor, decent, lousy, mediocre, harsh, "
    "careful, nervous, casual, hobby, former, wannabe, would-be, amateur, aspiring, future, ex, home"
)
"""Before an occupation's word these tell of a habit or a wish: "a terrible driver", "a home cook"."""

NATIONALITIES = _words("""
afghan, albanian, algerian, american, andorran, angolan, argentine, argentinian, armenian, australian,
austrian, azerbaijani, bahraini, bangladeshi, basque, belarusian, belgian, bolivian, bosnian, brazilian,
british, bulgarian, burmese, cambodian, cameroonian, canadian, catalan, chilean, chinese, colombian,
congolese, costa rican, croatian, cuban, cypriot, czech, danish, dominican, dutch, ecuadorian, egyptian,
english, eritrean, estonian, ethiopian, filipino, filipina, finnish, flemish, french, georgian, german,
ghanaian, greek, guatemalan, haitian, honduran, hungarian, icelandic, indian, indonesian, iranian, iraqi,
irish, israeli, italian, ivorian, jamaican, japanese, jordanian, kazakh, kenyan, korean, kurdish, kuwaiti,
latvian, lebanese, libyan, lithuanian, malaysian, maltese, mexican, moldovan, mongolian, moroccan, namibian,
nepali, nepalese, nicaraguan, nigerian, north macedonian, norwegian, pakistani, palestinian, panamanian,
paraguayan, persian, peruvian, polish, portuguese, puerto rican, romanian, russian, rwandan, salvadoran,
saudi, scottish, senegalese, serbian, sicilian, singaporean, slovak, slovakian, slovenian, somali, south
african, south korean, spanish, sri lankan, sudanese, swedish, swiss, syrian, taiwanese, tanzanian, thai,
tibetan, trinidadian, tunisian, turkish, ugandan, ukrainian, uruguayan, uzbek, venezuelan, vietnamese,
welsh, yemeni, zambian, zimbabwean, new zealander, kiwi, european, african, asian, latino, latina
""")

RELIGIONS = _words(
    "catholic, roman catholic, christian, protestant, lutheran, methodist, baptist, anglican, orthodox, "
    "muslim, sunni, shia, jewish, buddhist, hindu, sikh, jain, quaker, mormon, agnostic, atheist, an "
    "atheist, an agnostic, a christian, a muslim, a buddhist, a hindu, a catholic, a quaker, a mormon, "
    "pagan, taoist, baha'i"
)

LANGUAGES = _words("""
afrikaans, albanian, amharic, arabic, armenian, basque, bengali, bosnian, breton, bulgarian, burmese,
cantonese, catalan, cebuano, chinese, croatian, czech, danish, dutch, english, esperanto, estonian, farsi,
filipino, finnish, flemish, french, galician, georgian, german, greek, guarani, gujarati, hausa, hawaiian,
hebrew, hindi, hungarian, icelandic, igbo, indonesian, irish, italian, japanese, kannada, kazakh, khmer,
korean, kurdish, lao, latin, latvian, lithuanian, luxembourgish, macedonian, malay, malayalam, maltese,
mandarin, maori, marathi, mongolian, nepali, norwegian, pashto, persian, polish, portuguese, punjabi,
quechua, romanian, russian, sanskrit, scots, serbian, sesotho, shona, sign language, sinhala, slovak,
slovene, slovenian, somali, spanish, swahili, swedish, tagalog, tamil, telugu, thai, tibetan, turkish, twi,
ukrainian, urdu, uzbek, vietnamese, welsh, wolof, xhosa, yiddish, yoruba, zulu, asl, bsl
""")

CONDITIONS = _words("""
adhd, add, asthma, autism, anemia, anaemia, anxiety, arthritis, bipolar disorder, celiac disease, coeliac
disease, cerebral palsy, chronic fatigue, chronic migraines, chronic pain, colitis, copd, crohn's, crohn's
disease, depression, diabetes, type 1 diabetes, type 2 diabetes, dyslexia, dyscalculia, eczema,
endometriosis, epilepsy, fibromyalgia, glaucoma, gout, hay fever, high blood pressure, hypertension,
hypothyroidism, hyperthyroidism, ibs, insomnia, lupus, lyme disease, migraines, multiple sclerosis, ms,
narcolepsy, ocd, osteoporosis, parkinson's, parkinson's disease, pcos, psoriasis, ptsd, rheumatoid
arthritis, rosacea, scoliosis, sickle cell disease, sleep apnea, sleep apnoea, social anxiety, tinnitus,
tourette's, ulcerative colitis, vertigo, vitiligo
""")
CONDITION_ADJECTIVES = _words(
    "diabetic, asthmatic, autistic, dyslexic, epileptic, deaf, blind, colorblind, colourblind, color-blind, "
    "colour-blind, bipolar, hard of hearing, a type 1 diabetic, a type 2 diabetic, a diabetic"
)

DIETS = _words(
    "vegan, vegetarian, pescatarian, a vegan, a vegetarian, a pescatarian, flexitarian, a flexitarian, "
    "lactose intolerant, lactose-intolerant, gluten intolerant, gluten-intolerant, gluten free, "
    "gluten-free, dairy free, dairy-free, a strict vegetarian, a strict vegan, keto, halal, kosher, "
    "teetotal, a teetotaler, a teetotaller"
)

MARITAL = _words("married, single, divorced, widowed, engaged, separated, a widow, a widower")

PETS = _words("""
dog, cat, puppy, kitten, parrot, rabbit, hamster, guinea pig, horse, pony, goldfish, fish, turtle, tortoise,
snake, lizard, gecko, ferret, chinchilla, budgie, parakeet, canary, cockatiel, bird, goat, donkey, hedgehog,
iguana, tarantula, axolotl, retriever, labrador, lab, poodle, beagle, collie, terrier, bulldog, dachshund,
husky, corgi, greyhound, spaniel, chihuahua, pug, rottweiler, dalmatian, shepherd, german shepherd, mutt,
pitbull, pit bull, schnauzer, whippet, shih tzu, tabby, siamese, persian, maine coon, ragdoll, bearded
dragon, chicken, hen, mouse, rat, labradoodle, goldendoodle
""")

RELATIVES = _words("""
kid, child, son, daughter, brother, sister, sibling, stepson, stepdaughter, stepbrother, stepsister, twin,
nephew, niece, grandchild, grandson, granddaughter, grandkid, wife, husband, girlfriend, boyfriend, partner,
fiance, fiancee, toddler, baby, newborn, cousin, teenager, stepchild, stepkid, goddaughter, godson,
children, wives, twins, triplets
""")

PEOPLE_NOT_NAMED = _words("""
i, you, he, she, it, we, they, this, that, these, those, there, here, who, what, when, where, why, how,
which, whose, everyone, everybody, someone, somebody, anyone, anybody, no one, nobody, nothing, something,
everything, anything, all, some, most, many, few, both, each, every, either, neither, none, one, two, three,
several, another, other, others, my, your, his, her, its, our, their, mine, yours, hers, ours, theirs, the,
a, an, and, but, or, so, if, as, at, by, for, from, in, of, on, to, with, yes, no, not, ok, okay, well, oh,
hey, hi, hello, thanks, thank, please, sorry, sure, maybe, perhaps, also, then, now, today, tomorrow,
yesterday, tonight, just, only, even, still, yet, again, once, never, always, sometimes, usually, often,
people, students, teachers, workers, employees, users, customers, clients, kids, children, parents, friends,
families, family, residents, locals, tourists, scientists, researchers, engineers, developers, doctors,
women, men, girls, boys, guys, folks, americans, europeans, humans, cats, dogs, birds, animals, citizens,
immigrants, refugees, players, members, companies, startups, banks, schools, countries, cities, life, love,
time, work, home, music, food, money, god, nature, history, science, man, woman, boy, girl, mankind,
humanity, society, management, marketing, sales, support, staff, team, user, admin, customer, client,
student, teacher, employee, assistant, bot, ai, god, world, earth, sun, moon, north, south, east, west,
january, february, march, april, may, june, july, august, september, october, november, december, monday,
tuesday, wednesday, thursday, friday, saturday, sunday, spring, summer, autumn, fall, winter, christmas,
easter, halloween, thanksgiving, monday's, honestly, actually, apparently, probably, basically, anyway,
however, although, though, because, since, while, after, before, until, unless, let, let's, note, update,
reminder, step, chapter, section, part, figure, table, version, english, french, german, spanish, chinese,
japanese, data, code, love, hope, fear, faith, truth, lord, lol, haha, wow, yeah, yep, nope, nah, ugh, hmm,
um, uh, damn, man, dude, bro, sir, madam, ma'am, dear, good, great, nice, cool, awesome, congrats,
congratulations, happy, welcome, best, regards, cheers, sincerely, whoever, whatever, whichever, not, did,
does, do, is, are, was, were, has, have, had, can, could, will, would, should, shall, might, must, getting,
going, being, having, making, taking, such, same, more, less, much, half, dad's, mom's, grandpa's, apple,
google, python, docker, linux, windows
""") - _words("dad's, mom's, grandpa's, apple, google, monday's")
"""Capitalised only for standing first, or never the name of somebody a statement is about."""

NOT_A_NAME = _words("""
tired, hungry, sorry, fine, good, great, happy, sad, sure, okay, ok, back, here, home, late, busy, sick,
ready, done, lost, bored, excited, glad, afraid, scared, confused, stuck, curious, new, old, young, alone,
free, serious, right, wrong, nervous, worried, awake, drunk, cold, hot, broke, rich, poor, single, married,
divorced, pregnant, gay, straight, bi, lesbian, trans, queer, vegan, vegetarian, deaf, blind, human, batman,
groot, not, just, so, very, really, still, also, always, never, now, currently, in, on, at, from, the, a,
an, my, your, going, getting, looking, trying, thinking, planning, working, doing, having, being, team, gen,
type, christmas, easter, today, tomorrow, monday, tuesday, wednesday, thursday, friday, saturday, sunday,
january, february, march, april, june, july, august, september, october, november, december, unknown,
important, what, why, who, irrelevant, spelled, spelt, misspelled, pronounced, mispronounced, taken, hidden,
unusual, long, short, common, rare, difficult, none, null, undefined, test, too, either, neither, all, both,
kind, sort, well, better, best, amazing, awesome, super, mud, legion, beyond, truly, absolutely, totally,
definitely, literally, sincerely, dying, leaving, coming, him, her, them, it, this, that
""")

NO_PLACE = _words("""
building, apartment, flat, room, unit, floor, house, zone, phase, step, level, chapter, section, group,
team, year, block, suite, slack, zoom, teams, discord, python, rust, java, javascript, typescript, kotlin,
swift, go, ruby, perl, c++, c#, php, scala, haskell, linux, windows, mac, macos, ubuntu, fedora, debian,
arch, ios, android, postgres, postgresql, mysql, mongodb, redis, aws, azure, gcp, docker, kubernetes,
github, gitlab, jira, notion, obsidian, excel, gmail, outlook, chrome, firefox, safari, edge, vim, neovim,
emacs, react, vue, angular, django, rails, figma, trello, asana, spotify, netflix, whatsapp, telegram,
signal, stage, part, round, page, line, column, row, tier, grade, class, seat, gate, lane,
monday, mondays, tuesday, tuesdays, wednesday, wednesdays, thursday, thursdays, friday, fridays, saturday,
saturdays, sunday, sundays, january, february, march, april, june, july, august, september, october, november,
december
""")
"""Capitalised after "moved to" or "live in" and yet nowhere to live."""

GENERIC_WITH_THE = _words("""
beach, ocean, sea, mountains, outdoors, theatre, theater, piano, guitar, violin, cello, countryside, cold,
heat, rain, snow, gym, library, cinema, opera, ballet, smell, feeling, taste, forest, woods, desert, water,
sun, winter, summer, autumn, fall, spring, dentist, dark, city, country, holidays, zoo, circus, internet,
morning, mornings, night, thrill, drums, flute, saxophone, harp, trumpet, ukulele, banjo, harmonica,
clarinet, accordion, bass, viola, organ, bagpipes, mandolin, sax
""")
"""After "the", these mean the kind and not one in view: "I love the ocean"."""

INSTRUMENTS_AND_GAMES = _words("""
piano, guitar, violin, cello, drums, flute, saxophone, sax, harp, trumpet, ukulele, banjo, harmonica,
clarinet, accordion, bass, viola, organ, bagpipes, mandolin, oboe, trombone, tuba, keyboard, keyboards,
synth, percussion, sitar, tabla, lute, fiddle, recorder, bass guitar, electric guitar, acoustic guitar,
double bass, french horn, classical guitar, tennis, football, soccer, basketball, baseball, volleyball,
hockey, ice hockey, field hockey, badminton, squash, golf, rugby, cricket, chess, poker, bridge, go, darts,
pool, billiards, snooker, table tennis, ping pong, lacrosse, softball, handball, water polo, pickleball,
padel, american football, ultimate frisbee, dodgeball, netball, dungeons & dragons, dungeons and dragons,
d&d, video games, videogames, board games, sudoku, beach volleyball, scrabble, mahjong, backgammon, disc
golf, roller derby
""")


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

POINTING: Final = frozenset("it this that these those them him me us you".split())
"""Words that point at something: alone, they say nothing that somebody could use later."""

PASSED_ALONG: Final = frozenset(
    "link links key keys "
    "phone book books ball letter parcel money cash file note message messages number news word "
    "flu cold bug salt plate form forms documents invite question questions regards thanks baby mic baton "
    "evidence passport photo photos ticket tickets details feedback leaflet leaflets flowers call".split()
)
"""What goes from hand to hand, and is nobody's work."""
DAYS: Final = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays "
    "saturdays sundays january february march april may june july august september october november december "
    "weekdays weekends noon midnight night".split()
)
"""What stands after "on", "in" or "at" and tells when."""
