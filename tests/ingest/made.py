"""Files made for the tests: small, real, and sometimes hostile."""

from __future__ import annotations

import re
import zipfile
from io import BytesIO
from xml.sax.saxutils import escape

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def pdf(pages: list[str], *, title: str = "", password: str | None = None) -> bytes:
    """A PDF file with one line of Latin text per line of each page."""
    objects: list[bytes] = [b"", b""]
    kids = []
    font = 3
    objects.append(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    for page in pages:
        quoted = re.sub(r"([\\()])", r"\\\1", page)
        lines = [f"({line}) Tj T*" for line in quoted.split("\n")]
        stream = ("BT /F1 12 Tf 72 720 Td 14 TL\n" + "\n".join(lines) + "\nET").encode("latin-1")
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
        contents = len(objects)
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R"
            b" /Resources << /Font << /F1 %d 0 R >> >> >>" % (contents, font)
        )
        kids.append(b"%d 0 R" % len(objects))
    objects[0] = b"<< /Type /Catalog /Pages 2 0 R >>"
    objects[1] = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (b" ".join(kids), len(kids))
    objects.append(b"<< /Title (%s) /Author (A. Writer) >>" % title.encode("latin-1"))
    out = BytesIO()
    out.write(b"%PDF-1.4\n")
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, body))
    table = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    out.writelines(b"%010d 00000 n \n" % offset for offset in offsets)
    out.write(
        b"trailer\n<< /Size %d /Root 1 0 R /Info %d 0 R >>\nstartxref\n%d\n%%%%EOF\n"
        % (len(objects) + 1, len(objects), table)
    )
    if password is None:
        return out.getvalue()
    import pypdf

    writer = pypdf.PdfWriter(clone_from=BytesIO(out.getvalue()))
    writer.encrypt(password, algorithm="RC4-128")
    locked = BytesIO()
    writer.write(locked)
    return locked.getvalue()


def paragraph(text: str, *, style: str = "", item: bool = False) -> str:
    about = f'<w:pStyle w:val="{style}"/>' if style else ""
    about += '<w:numPr><w:ilvl w:val="0"/></w:numPr>' if item else ""
    return f"<w:p><w:pPr>{about}</w:pPr><w:r><w:t>{escape(text)}</w:t></w:r></w:p>"


def table(rows: list[list[str]]) -> str:
    cells = "".join(
        "<w:tr>" + "".join(f"<w:tc>{paragraph(cell)}</w:tc>" for cell in row) + "</w:tr>" for row in rows
    )
    return f"<w:tbl>{cells}</w:tbl>"


def docx(body: str, *, title: str = "", declaration: str = "", **members: str) -> bytes:
    """A Word file around the given body."""
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("[Content_Types].xml", "<Types/>")
        package.writestr(
            "word/document.xml", f"{declaration}<w:document {W}><w:body>{body}</w:body></w:document>"
        )
        package.writestr(
            "word/styles.xml",
            f'<w:styles {W}><w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>'
            '<w:style w:styleId="H2"><w:name w:val="Other"/>'
            '<w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style>'
            "</w:styles>",
        )
        if title:
            package.writestr(
                "docProps/core.xml",
                '<c:p xmlns:c="c" xmlns:dc="dc">'
                f"<dc:title>{escape(title)}</dc:title><dc:creator>Ana</dc:creator></c:p>",
            )
        for name, content in members.items():
            package.writestr(name.replace("__", "/"), content)
    return out.getvalue()
