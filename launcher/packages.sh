# shellcheck shell=bash disable=SC2034  # the parts share names
# Operating-system packages: what is needed, how to tell that it is there, and why it is wanted.

MISSING=() # "package|why"

# want PACKAGE WHY TEST...: notes the package unless the test succeeds.
want() {
  local package=$1 why=$2
  shift 2
  "$@" >/dev/null 2>&1 || MISSING+=("$package|$why")
}

has() { command -v "$1"; }

want_to_build() {
  want gcc 'compiles the guest agent and the keeper' has gcc
  want libc6-dev 'headers and start files for the C compiler' test -e /usr/include/stdio.h
  want make 'drives the C build' has make
  want musl-tools 'links the guest agent statically' has musl-gcc
  want protobuf-c-compiler 'generates the agent protocol in C' has protoc-c
  want libprotobuf-c-dev 'protocol buffers for the guest agent' test -e /usr/include/protobuf-c/protobuf-c.h
  want ca-certificates 'Maven downloads over TLS; sandboxes trust the same authorities' test -s /etc/ssl/certs/ca-certificates.crt
  if [[ ! -x $("$ATOLL_ROOT/mvnw" --where)/bin/mvn ]]; then
    want maven 'fetches the pinned Maven, once' has mvn
  fi
  if [[ $RESOLVED_JAVA_HOME == "$ATOLL_TOOLS"/* ]]; then
    want ca-certificates-java 'certificate authorities in the form Java reads' test -s /etc/ssl/certs/java/cacerts
  fi
}

want_to_run() {
  want mmdebstrap 'builds the file system of a template' has mmdebstrap
}

want_for_tests() {
  want clang 'fuzzes the guest agent' has clang
  want busybox-static 'a tiny file system for the driver tests' has busybox
  want python3 'runs the Python kernel outside a sandbox' has python3
  want npm 'fetches Node.js for the template node' has npm
  want docker-registry 'a registry of images for templates' has docker-registry
  want chromium 'a real browser for the pages that sandboxes serve' has chromium
  want zsh 'completes commands of the CLI' has zsh
  want fish 'completes commands of the CLI' has fish
  want python3-venv 'installs schemathesis, which tries the API' python3 -c 'import ensurepip, venv'
  if ! clang_can_fuzz; then want "$(compiler_runtime_package)" 'sanitizers and libFuzzer for clang' false; fi
}

clang_can_fuzz() {
  local archive
  command -v clang >/dev/null || return 1
  archive=$(clang -print-file-name="libclang_rt.fuzzer-$(uname -m).a" 2>/dev/null)
  [[ -f $archive ]] || compgen -G "$(clang -print-resource-dir)/lib/*/libclang_rt.fuzzer*.a" >/dev/null
}

# The runtime belongs to a clang version, which is that of the installed clang or of the one apt would install.
compiler_runtime_package() {
  local major=
  if command -v clang >/dev/null; then
    major=$(clang -dumpversion) && major=${major%%.*}
  else
    refresh_lists
    major=$(apt-cache depends clang 2>/dev/null | sed -n 's/.*Depends: clang-\([0-9]*\)$/\1/p' | head -n 1)
  fi
  printf 'libclang-rt-%s-dev' "${major:-14}"
}

install_missing() {
  local entry names=()
  ((${#MISSING[@]} > 0)) || return 0
  for entry in "${MISSING[@]}"; do
    names+=("${entry%%|*}")
    say "missing: ${entry%%|*} (${entry#*|})"
  done
  if ! command -v apt-get >/dev/null; then
    say "this system has no apt-get: install what the packages above contain in your system's way, then try again"
    exit "$EXIT_NEEDS_INSTALL"
  fi
  if [[ -n ${ATOLL_NO_INSTALL:-} ]]; then refuse_install "ATOLL_NO_INSTALL is set" "${names[@]}"; fi
  if ((EUID != 0)); then refuse_install "installing needs root" "${names[@]}"; fi
  apt_install "${names[@]}"
  MISSING=()
}

refuse_install() {
  local reason=$1
  shift
  say "$reason, so nothing was installed. Run this, then try again:"
  if ((EUID != 0)); then printf '  sudo apt-get update && sudo apt-get install --no-install-recommends %s\n' "$*" >&2
  else printf '  apt-get update && apt-get install --no-install-recommends %s\n' "$*" >&2; fi
  exit "$EXIT_NEEDS_INSTALL"
}

apt_install() {
  local log=$ATOLL_HOME/logs/setup.log
  refresh_lists
  # A package database in the middle of a change is worse than a late Ctrl-C.
  STEP_WAITS="installing $*"
  step_or_die "$log" "installing $*" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
    -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 "$@"
  STEP_WAITS=
}

LISTS_FRESH=
# The lists of the system's apt, at most once a launch, and only when they are absent or old.
refresh_lists() {
  [[ -z $LISTS_FRESH && $EUID -eq 0 && -z ${ATOLL_NO_INSTALL:-} ]] || return 0
  LISTS_FRESH=1
  if [[ -n $(find /var/lib/apt/lists -maxdepth 1 -name '*Packages*' -mtime -1 -print -quit 2>/dev/null) ]]; then return 0; fi
  step "$ATOLL_HOME/logs/setup.log" "reading the package lists" apt-get update -o DPkg::Lock::Timeout=300 ||
    say "the package lists could not be refreshed; going on with those that are there"
}
