#!/usr/bin/env bash
# Builds Citus and pgvector from source for the PostgreSQL that PG_CONFIG names, and installs both into it.
#
#   PG_CONFIG=/usr/lib/postgresql/15/bin/pg_config tests/postgres/build_citus.sh
#
# Needs git, a compiler and headers (Debian: build-essential postgresql-server-dev-15 libkrb5-dev liblz4-dev
# libzstd-dev libssl-dev).
# CITUS_SOURCE and PGVECTOR_SOURCE may name mirrors; BUILD is the folder to build in. Citus is AGPL-3.0: it runs
# beside Longmind as your server, and nothing of it is part of Longmind.
set -euo pipefail
PG_CONFIG=${PG_CONFIG:-pg_config}
CITUS_SOURCE=${CITUS_SOURCE:-https://github.com/citusdata/citus}
CITUS_VERSION=${CITUS_VERSION:-v13.2.2} # the last line for PostgreSQL 15; 14 needs 16 to 18
PGVECTOR_SOURCE=${PGVECTOR_SOURCE:-https://github.com/pgvector/pgvector}
PGVECTOR_VERSION=${PGVECTOR_VERSION:-v0.8.6}
BUILD=${BUILD:-$(mktemp -d)}

libraries=$("$PG_CONFIG" --pkglibdir)
headers=$("$PG_CONFIG" --includedir-server)

if [ ! -e "$libraries/vector.so" ]; then
    [ -d "$BUILD/pgvector" ] ||
        git clone -q --depth 1 --branch "$PGVECTOR_VERSION" "$PGVECTOR_SOURCE" "$BUILD/pgvector"
    # OPTFLAGS: the default is -march=native, which makes a library for this very processor.
    make -C "$BUILD/pgvector" -j2 PG_CONFIG="$PG_CONFIG" OPTFLAGS="" with_llvm=no
    make -C "$BUILD/pgvector" install PG_CONFIG="$PG_CONFIG" OPTFLAGS="" with_llvm=no
fi

if [ ! -e "$libraries/citus.so" ]; then
    [ -d "$BUILD/citus" ] || git clone -q --depth 1 --branch "$CITUS_VERSION" "$CITUS_SOURCE" "$BUILD/citus"
    cd "$BUILD/citus"
    if grep -q have_createdb_privilege "$headers/commands/dbcommands.h"; then
        # PostgreSQL 15.19 and later export this function, and Citus 13.2 still defines its own.
        python3 - <<'PATCH'
import re
from pathlib import Path

header = Path("src/include/pg_version_compat.h")
text = header.read_text()
text = re.sub(
    r"static inline bool\nhave_createdb_privilege\(void\)\n\{.*?\n\}\n",
    '#include "commands/dbcommands.h"\n',
    text,
    flags=re.DOTALL,
)
header.write_text(text)
PATCH
    fi
    ./configure -q PG_CONFIG="$PG_CONFIG" --without-libcurl
    make -j2 with_llvm=no extension
    make with_llvm=no install-extension
fi
echo "Citus and pgvector are installed in $libraries"
