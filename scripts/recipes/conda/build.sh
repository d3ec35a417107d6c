#!/usr/bin/env bash
# Builds in the folder of the sources and installs below $PREFIX.
set -euo pipefail

cargo build --release --locked -p tegula -p tegula-capi
target=${CARGO_TARGET_DIR:-target}/release
mkdir -p "$PREFIX"/{bin,lib,include,share/man/man1,share/bash-completion/completions}
cp "$target/tegula" "$PREFIX/bin"
cp "$target/libtegula.so" "$PREFIX/lib"
cp apps/capi/include/*.h "$PREFIX/include"
"$PREFIX/bin/tegula" man -o "$PREFIX/share/man/man1" >/dev/null
"$PREFIX/bin/tegula" completions bash >"$PREFIX/share/bash-completion/completions/tegula"
