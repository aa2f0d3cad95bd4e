# shellcheck shell=bash disable=SC2034  # the parts share names
# Packages of a newer Debian release, unpacked into Atoll's own folder. The system's apt configuration is read (mirror,
# proxy, credentials), never changed: lists, cache and status are private and thrown away afterwards.

readonly NEWER_SUITE=trixie # Debian 13: the first release with openjdk-25 and a runsc that can checkpoint and go on
readonly DEBIAN_KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg

PRIVATE_APT= # the folder of the private apt, once it is ready

# Prints "URI SUITE" for each binary source of the system's apt, from both of its formats.
system_sources() {
  local file
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [[ ! -f $file ]] || sed -n -E 's/^[[:space:]]*deb[[:space:]]+(\[[^]]*\][[:space:]]+)?([^[:space:]]+)[[:space:]]+([^[:space:]]+).*/\2 \3/p' "$file"
  done
  for file in /etc/apt/sources.list.d/*.sources; do
    [[ ! -f $file ]] || deb822_sources "$file"
  done
}

deb822_sources() {
  awk '
    function flush(   i, j, nu, ns, u, s) {
      if (types ~ /(^| )deb( |$)/ && enabled !~ /^(no|false|0)$/) {
        nu = split(uris, u, " "); ns = split(suites, s, " ")
        for (i = 1; i <= nu; i++) for (j = 1; j <= ns; j++) print u[i], s[j]
      }
      types = uris = suites = enabled = field = ""
    }
    /^#/ { next }
    /^[[:space:]]*$/ { flush(); next }
    /^[^[:space:]]/ { field = tolower($0); sub(/:.*/, "", field); sub(/^[^:]*:[[:space:]]*/, "") }
    field == "types" { types = types " " $0 }
    field == "uris" { uris = uris " " $0 }
    field == "suites" { suites = suites " " $0 }
    field == "enabled" { enabled = tolower($0) }
    END { flush() }
  ' "$1"
}

# Writes the private sources list: the system's Debian mirror, with the newer release in the place of its own.
private_sources() {
  local own uri suite options="signed-by=$DEBIAN_KEYRING"
  # shellcheck disable=SC1091
  own=$(. /etc/os-release && printf '%s' "${VERSION_CODENAME:-}")
  system_sources | while read -r uri suite; do
    case $suite in
      "$own" | stable | oldstable | testing) printf 'deb [%s] %s %s main\n' "$options" "$uri" "$NEWER_SUITE" ;;
      "$own"-security | stable-security | oldstable-security) printf 'deb [%s] %s %s-security main\n' "$options" "$uri" "$NEWER_SUITE" ;;
    esac
  done | sort -u
}

private_apt() {
  local tool=$1
  shift
  "$tool" -o Dir::Etc::SourceList="$PRIVATE_APT/sources.list" -o Dir::Etc::SourceParts=/dev/null \
    -o Dir::Etc::Preferences=/dev/null -o Dir::Etc::PreferencesParts=/dev/null \
    -o Dir::State="$PRIVATE_APT/state" -o Dir::State::Lists="$PRIVATE_APT/state/lists" \
    -o Dir::State::status="$PRIVATE_APT/status" -o Dir::Cache="$PRIVATE_APT/cache" \
    -o Acquire::Languages=none -o APT::Update::Post-Invoke-Success= -o APT::Get::List-Cleanup=false "$@"
}

private_apt_update() {
  private_sources >"$PRIVATE_APT/sources.list" || return 1
  if ! grep -q " $NEWER_SUITE main" "$PRIVATE_APT/sources.list"; then
    echo "none of the system's apt sources is a Debian mirror"
    return 1
  fi
  private_apt apt-get update --error-on=any && return
  # Some mirrors carry the release but not its security updates.
  sed -i "/ $NEWER_SUITE-security /d" "$PRIVATE_APT/sources.list"
  private_apt apt-get update --error-on=any
}

# Sets REPLY to a temporary folder for a private apt, which apt's own unprivileged user may enter.
private_apt_folder() {
  command -v apt-get dpkg-deb >/dev/null || return 1
  [[ -r $DEBIAN_KEYRING ]] || return 1
  temporary_directory
  chmod 755 "$REPLY"
  mkdir -p "$REPLY/state/lists/partial" "$REPLY/cache/archives/partial" "$REPLY/debs"
  : >"$REPLY/status"
  if ((EUID == 0)) && id _apt >/dev/null 2>&1; then chown _apt "$REPLY/debs"; fi
}

# Makes PRIVATE_APT ready, once.
prepare_private_apt() {
  [[ -z $PRIVATE_APT ]] || return 0
  private_apt_folder || return 1
  PRIVATE_APT=$REPLY
  step "$ATOLL_HOME/logs/setup.log" "reading the package lists of Debian $NEWER_SUITE" private_apt_update && return
  PRIVATE_APT=
  return 1
}

download_debs() { cd "$PRIVATE_APT/debs" && private_apt apt-get download "$@"; }

# unpack_newer_debian DIRECTORY PACKAGE...: downloads (signatures checked by apt) and unpacks.
unpack_newer_debian() {
  local into=$1 package
  shift
  step "$ATOLL_HOME/logs/setup.log" "downloading $* of Debian $NEWER_SUITE" download_debs "$@" || return 1
  for package in "$@"; do
    step "$ATOLL_HOME/logs/setup.log" "unpacking $package" dpkg-deb -x "$PRIVATE_APT/debs/${package}"_*.deb "$into" || return 1
  done
  rm -f "$PRIVATE_APT"/debs/*.deb
}
