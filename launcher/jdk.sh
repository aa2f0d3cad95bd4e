# shellcheck shell=bash disable=SC2034  # the parts share names
# A JDK 25: found on this machine, installed from its own release, or unpacked from a newer Debian release.

readonly JAVA_MAJOR=25

# Sets RESOLVED_JAVA_HOME.
find_or_get_jdk() {
  if find_jdk; then return; fi
  say "no JDK $JAVA_MAJOR on this machine (looked at JAVA_HOME, the PATH, /usr/lib/jvm, /opt and $ATOLL_TOOLS)"
  if install_jdk && find_jdk; then return; fi
  unpack_jdk
  find_jdk || die "the unpacked JDK does not start; see $ATOLL_HOME/logs/setup.log, or install a JDK $JAVA_MAJOR and set JAVA_HOME"
}

find_jdk() {
  local candidate
  while IFS= read -r candidate; do
    if is_jdk "$candidate"; then
      RESOLVED_JAVA_HOME=$candidate
      return 0
    fi
  done < <(jdk_candidates)
  return 1
}

jdk_candidates() {
  local javac candidate
  if [[ ${ATOLL_JDK_SEARCH:-} != none ]]; then # `none`: only Atoll's own, which is how its download is tested
    [[ -z ${JAVA_HOME:-} ]] || printf '%s\n' "$JAVA_HOME"
    if javac=$(command -v javac); then
      javac=$(readlink -f "$javac")
      printf '%s\n' "${javac%/bin/javac}"
    fi
    for candidate in /usr/lib/jvm/*"$JAVA_MAJOR"* /usr/lib/jvm/* /opt/*jdk* /opt/java/*; do
      [[ ! -d $candidate ]] || printf '%s\n' "$candidate"
    done
  fi
  printf '%s\n' "$ATOLL_TOOLS/jdk"
}

# A folder with a compiler whose version is new enough and whose java starts.
is_jdk() {
  local line version=
  [[ -x $1/bin/javac && -x $1/bin/java && -r $1/release ]] || return 1
  while IFS= read -r line; do
    if [[ $line =~ ^JAVA_VERSION=\"?([0-9]+) ]]; then version=${BASH_REMATCH[1]}; fi
  done <"$1/release"
  [[ -n $version ]] && ((version >= JAVA_MAJOR)) && "$1/bin/java" -version >/dev/null 2>&1
}

# What tells this JDK from any other, as one line.
jdk_release() {
  local release
  mapfile -t release <"$RESOLVED_JAVA_HOME/release"
  printf '%s' "${release[*]}"
}

# From the release's own archive, where it has one.
install_jdk() {
  local package=openjdk-$JAVA_MAJOR-jdk-headless
  [[ $EUID -eq 0 && -z ${ATOLL_NO_INSTALL:-} && ${ATOLL_JDK_SEARCH:-} != none ]] || return 1
  command -v apt-cache >/dev/null || return 1
  refresh_lists
  [[ -n $(apt-cache show --no-all-versions "$package" 2>/dev/null) ]] || return 1
  say "installing $package (compiles and runs Atoll)"
  apt_install "$package"
}

unpack_jdk() {
  local tree homes home
  say "getting JDK $JAVA_MAJOR from Debian $NEWER_SUITE into $ATOLL_TOOLS/jdk (about 150 MB; the system's packages stay as they are)"
  prepare_private_apt || no_jdk_source
  mkdir -p "$ATOLL_TOOLS"
  temporary_directory "$ATOLL_TOOLS"
  tree=$REPLY
  unpack_newer_debian "$tree" "openjdk-$JAVA_MAJOR-jre-headless" "openjdk-$JAVA_MAJOR-jdk-headless" || no_jdk_source
  homes=("$tree"/usr/lib/jvm/java-"$JAVA_MAJOR"-*)
  home=${homes[0]}
  settle_jdk "$tree" "$home"
  if ! "$home/bin/java" -version >>"$ATOLL_HOME/logs/setup.log" 2>&1; then bring_own_libc "$tree" "$home"; fi
  rm -rf "$ATOLL_TOOLS/jdk"
  mv -T "$home" "$ATOLL_TOOLS/jdk"
  # The class archive that the package would make when it is installed: every JVM starts twice as fast with it.
  step "$ATOLL_HOME/logs/setup.log" "preparing the JDK" "$ATOLL_TOOLS/jdk/bin/java" -Xshare:dump || true
}

no_jdk_source() {
  show_end "$ATOLL_HOME/logs/setup.log"
  die "could not get a JDK $JAVA_MAJOR: install one in your system's way and set JAVA_HOME"
}

# The package keeps its configuration in /etc and links to it: put the files where the links are.
settle_jdk() {
  local tree=$1 home=$2 link target
  rm -rf "$home/jmods" "$home/lib/src.zip" "$home/docs" "$home/man"
  find "$home" -lname '/etc/java-*' -printf '%p\t%l\n' | while IFS=$'\t' read -r link target; do
    rm -f "$link"
    [[ ! -e $tree$target ]] || cp -p "$tree$target" "$link"
  done
}

# A JDK built for a newer glibc than this system's: give its programs the libraries they were built with, found through
# their own header (interpreter and rpath), so that java.home, jspawnhelper and child processes work as usual and no
# variable leaks into what they start. The path is absolute, hence computed for the final place.
bring_own_libc() {
  local tree=$1 home=$2 libraries=$ATOLL_TOOLS/jdk/lib/host loaders loader program
  say "this system's C library is older than the one that JDK was built for; adding the newer one to the JDK alone"
  unpack_newer_debian "$tree/libc" libc6 libstdc++6 libgcc-s1 zlib1g patchelf || no_jdk_source
  mkdir -p "$home/lib/host"
  find "$tree/libc/usr/lib" -path '*linux-gnu*/*.so*' -not -path '*/gconv/*' -not -path '*/gdb/*' -not -path '*/audit/*' \
    -exec cp -P -t "$home/lib/host" {} +
  loaders=("$home"/lib/host/ld-linux-*.so.*)
  loader=${loaders[0]}
  for program in "$home"/bin/* "$home"/lib/jspawnhelper "$home"/lib/jexec; do
    [[ -f $program && ! -L $program ]] || continue
    # shellcheck disable=SC2016  # $ORIGIN is for the loader
    "$loader" --library-path "$home/lib/host" "$tree/libc/usr/bin/patchelf" \
      --set-interpreter "$libraries/${loader##*/}" --force-rpath \
      --set-rpath '$ORIGIN:$ORIGIN/../lib:$ORIGIN/host:$ORIGIN/../lib/host' "$program" >>"$ATOLL_HOME/logs/setup.log" 2>&1 ||
      [[ $program != */java ]] || die "could not adapt $program; see $ATOLL_HOME/logs/setup.log"
  done
}
