# shellcheck shell=bash disable=SC2034  # the parts share names
# gVisor's runsc, the boundary itself: the one that launcher/runsc/go.mod pins, built from source beside the Maven build.
# Every module is checked against go.sum, the Go toolchain against Go's checksum database, and the result against its known
# digest. ATOLL_RUNSC always wins; where nothing can be built, Debian's older package stands in.

readonly RUNSC_AT_LEAST=20240729 # the first known to checkpoint a sandbox and keep it running
readonly RUNSC_MODULE=$ATOLL_ROOT/launcher/runsc
readonly BOOTSTRAP_GO=1.24 # of Debian $NEWER_SUITE; it fetches the pinned toolchain and does nothing else

# Sets RESOLVED_RUNSC, or begins to build it; await_runsc waits for that.
find_or_begin_runsc() {
  read_runsc_pin
  RESOLVED_RUNSC=
  if [[ -n ${ATOLL_RUNSC:-} ]]; then
    use_given_runsc
  elif [[ -f $RUNSC_HOME/complete ]]; then
    RESOLVED_RUNSC=$RUNSC_HOME/runsc
  elif ! use_runsc_of_path; then
    begin_runsc
  fi
}

# Sets what the pin says: the module's date is the version.
read_runsc_pin() {
  local text
  text=$(<"$RUNSC_MODULE/go.mod")
  [[ $text =~ gvisor\.dev/gvisor\ v[0-9.]+-(20[0-9]{6})[0-9]{6}- ]] || die "$RUNSC_MODULE/go.mod names no version of gVisor"
  RUNSC_PINNED=${BASH_REMATCH[1]}
  [[ $text =~ toolchain\ (go[0-9.]+) ]] || die "$RUNSC_MODULE/go.mod names no toolchain"
  RUNSC_TOOLCHAIN=${BASH_REMATCH[1]}
  text=unpinned # what is built on such a machine is refused
  [[ ! -f $RUNSC_MODULE/$(uname -m).sha256 ]] || read -r text _ <"$RUNSC_MODULE/$(uname -m).sha256"
  RUNSC_HOME=$ATOLL_TOOLS/runsc-$RUNSC_PINNED-${text:0:12}
  RUNSC_LOG=$ATOLL_HOME/logs/runsc.log
}

use_given_runsc() {
  local found
  [[ -x $ATOLL_RUNSC ]] || die "ATOLL_RUNSC is $ATOLL_RUNSC, which is no program; unset it to use runsc $RUNSC_PINNED"
  found=$(runsc_date "$ATOLL_RUNSC")
  ((found >= RUNSC_AT_LEAST)) ||
    die "ATOLL_RUNSC is $ATOLL_RUNSC of $found; at least $RUNSC_AT_LEAST is needed. Unset it to use runsc $RUNSC_PINNED"
  RESOLVED_RUNSC=$ATOLL_RUNSC
}

# One that somebody keeps at least as new as the pinned one will do; an older one is passed over.
use_runsc_of_path() {
  local candidate found
  candidate=$(command -v runsc) || return 1
  found=$(runsc_date "$candidate")
  if ((found >= RUNSC_PINNED)); then
    RESOLVED_RUNSC=$candidate
    return
  fi
  say "passing over $candidate of $found, which is older than the tested $RUNSC_PINNED (ATOLL_RUNSC=$candidate would use it)"
  return 1
}

# The date in `runsc --version`: "release-20240729.0", "0.0~20240729.0", "20260905"; 0 when there is none.
runsc_date() {
  local text
  text=$("$1" --version 2>/dev/null) || true
  if [[ $text =~ (20[0-9]{6}) ]]; then printf '%s' "${BASH_REMATCH[1]}"; else printf 0; fi
}

begin_runsc() {
  local apt='' go=''
  mkdir -p "$ATOLL_TOOLS"
  temporary_directory "$ATOLL_TOOLS"
  RUNSC_BUILD=$REPLY
  go=$(installed_go) || go=
  if [[ -z $go && -z $PRIVATE_APT ]] && private_apt_folder; then apt=$REPLY; fi
  say "building runsc $RUNSC_PINNED (the sandbox itself) in the background, with ${go:-Go of Debian $NEWER_SUITE}"
  begin_background "$RUNSC_LOG" build_runsc "$RUNSC_BUILD" "$go" "$apt"
}

# One that can fetch the toolchain that a module names.
installed_go() {
  local candidate version
  for candidate in "$(command -v go || true)" /usr/local/go/bin/go; do
    if [[ -x $candidate ]]; then
      version=$(GOTOOLCHAIN=local "$candidate" env GOVERSION 2>/dev/null) || continue
      if [[ $version =~ ^go1\.([0-9]+) ]] && ((BASH_REMATCH[1] >= 21)); then
        printf '%s' "$candidate"
        return
      fi
    fi
  done
  return 1
}

# build_runsc FOLDER GO APT: in a process of its own, with all that it needs in FOLDER, which it removes: Go's caches are
# a gigabyte.
build_runsc() {
  local folder=$1 go=$2 apt=$3
  exec 7>"$ATOLL_TOOLS/.runsc.lock"
  flock 7 # another checkout may share the folder and build the same
  [[ ! -f $RUNSC_HOME/complete ]] || return 0
  if [[ -z $go ]]; then
    bootstrap_go "$folder" "$apt" || return 1
    go=$folder/go/usr/lib/go-$BOOTSTRAP_GO/bin/go
  fi
  mkdir "$folder/new" "$folder/tmp"
  (go_build "$folder" "$go") || return 1
  (cd "$folder/new" && sha256sum -c --strict "$RUNSC_MODULE/$(uname -m).sha256") || return 1
  chmod 555 "$folder/new/runsc"
  : >"$folder/new/complete"
  chmod 755 "$folder/new"
  rm -rf "$RUNSC_HOME" # an incomplete one
  mv -T "$folder/new" "$RUNSC_HOME" || return 1
  rm -rf "$folder"
}

# Debian's Go is one static program, so it runs on an older release too.
bootstrap_go() {
  local folder=$1 apt=$2
  if [[ -z $PRIVATE_APT ]]; then
    [[ -n $apt ]] || { echo "there is neither Go 1.21 or later nor apt with a Debian mirror here" && return 1; }
    PRIVATE_APT=$apt
    private_apt_update || return 1
  fi
  (download_debs "golang-$BOOTSTRAP_GO-go") || return 1
  dpkg-deb -x "$PRIVATE_APT/debs/golang-$BOOTSTRAP_GO-go"_*.deb "$folder/go"
}

# Static, since runsc starts itself again in a chroot, and the same bytes on every machine. The user's proxy settings hold;
# what would turn checks off or change the result does not.
go_build() {
  local folder=$1 go=$2
  cp -r "$RUNSC_MODULE" "$folder/source"
  cd "$folder/source" || return 1
  pinned_go "$folder" "$go" run -v -trimpath -buildvcs=false ./deferred "$folder/source/gvisor" || return 1
  printf 'replace gvisor.dev/gvisor => ./gvisor\n' >>go.mod # what was just made of the checked module
  pinned_go "$folder" "$go" run -v -trimpath -buildvcs=false ./filters >"$folder/filters.go" || return 1
  mv "$folder/filters.go" .
  pinned_go "$folder" "$go" build -v -trimpath -buildvcs=false \
    -ldflags "-s -w -X gvisor.dev/gvisor/runsc/version.version=$RUNSC_PINNED" -o "$folder/new/runsc" .
}

# pinned_go FOLDER GO ARGUMENTS...
pinned_go() {
  local folder=$1 go=$2 verb=$3
  shift 3
  env -u GOSUMDB -u GONOSUMDB -u GOPRIVATE -u GOINSECURE -u GOROOT -u GOEXPERIMENT -u GODEBUG \
    GOTOOLCHAIN="$RUNSC_TOOLCHAIN" GOWORK=off GOFLAGS=-modcacherw CGO_ENABLED=0 GOOS=linux GOAMD64=v1 \
    GOPATH="$folder/go-path" GOMODCACHE="$folder/go-modules" GOCACHE="$folder/go-cache" GOTMPDIR="$folder/tmp" \
    nice -n 5 "$go" "$verb" -mod=readonly "$@"
}

# Waits for what find_or_begin_runsc has begun.
await_runsc() {
  [[ -z $RESOLVED_RUNSC ]] || return 0
  if await_background "$RUNSC_LOG" "building runsc $RUNSC_PINNED"; then
    RESOLVED_RUNSC=$RUNSC_HOME/runsc
    remove_old_runsc
    return
  fi
  rm -rf "$RUNSC_BUILD"
  show_end "$RUNSC_LOG" 5
  say "runsc $RUNSC_PINNED could not be built (all of it in $RUNSC_LOG); './atoll setup' tries again"
  use_runsc_of_debian
}

# A server keeps a copy of each runsc that it still needs, so what was built for an earlier pin can go.
remove_old_runsc() {
  local old
  for old in "$ATOLL_TOOLS"/runsc-20*/; do
    old=${old%/}
    if [[ $old != "$RUNSC_HOME" ]] && ! grep -qs -F -e "$old/" /proc/[0-9]*/cmdline; then rm -rf "$old"; fi
  done
}

use_runsc_of_debian() {
  get_runsc_of_debian ||
    die "could not get runsc: install gVisor's runsc (release $RUNSC_AT_LEAST or later) and set ATOLL_RUNSC to it"
  RESOLVED_RUNSC=$ATOLL_TOOLS/runsc
  say "using the older $RESOLVED_RUNSC of $(runsc_date "$RESOLVED_RUNSC"); './atoll doctor' tells what that means"
}

# The fallback, and for the tests an earlier version whose checkpoints must still be of use.
get_runsc_of_debian() {
  local tree
  if [[ -x $ATOLL_TOOLS/runsc ]] && (($(runsc_date "$ATOLL_TOOLS/runsc") >= RUNSC_AT_LEAST)); then return; fi
  say "getting the older runsc of Debian $NEWER_SUITE into $ATOLL_TOOLS/runsc"
  mkdir -p "$ATOLL_TOOLS"
  if prepare_private_apt; then
    temporary_directory "$ATOLL_TOOLS"
    tree=$REPLY
    if unpack_newer_debian "$tree" runsc && [[ -x $tree/usr/bin/runsc ]] &&
      (($(runsc_date "$tree/usr/bin/runsc") >= RUNSC_AT_LEAST)); then
      mv -f "$tree/usr/bin/runsc" "$ATOLL_TOOLS/runsc"
      return
    fi
  fi
  show_end "$ATOLL_HOME/logs/setup.log"
  return 1
}

# A server keeps each runsc that it has used. For one from before it did so, this keeps those that it may have used: its
# sandboxes still run with them, and what it kept on disk needs them. The server removes what nothing needs.
keep_runsc_of_earlier_servers() {
  local program version home
  [[ -d $ATOLL_HOME/sandboxes && ! -d $ATOLL_HOME/runsc ]] || return 0
  for program in "$ATOLL_TOOLS/runsc" "$(command -v runsc || true)"; do
    [[ -x $program ]] || continue
    version=$("$program" --version 2>/dev/null | sed -n 's/^runsc version \([A-Za-z0-9][A-Za-z0-9.~+_-]*\)$/\1/p')
    home=$ATOLL_HOME/runsc/$version
    if [[ -n $version && ! -e $home ]]; then
      mkdir -p "$home.$$"
      cp --reflink=auto "$program" "$home.$$/runsc"
      chmod 711 "$ATOLL_HOME/runsc" "$home.$$"
      chmod 555 "$home.$$/runsc"
      mv -T "$home.$$" "$home"
    fi
  done
}
