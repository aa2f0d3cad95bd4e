# shellcheck shell=bash disable=SC2034  # the parts share names
# Building with Maven, only when sources changed, and laying the result out where nothing overwrites it later: a server or
# a CLI that runs keeps its own copy, and one interrupted build leaves the last good one in place.

# Sets APP and CLI_CLASS_PATH.
build_if_changed() {
  if build_is_current; then
    if [[ "$(cat "$APP/cli.aot.jdk" 2>/dev/null)" != "$(jdk_release)" ]]; then train_cli_in_background; fi
    return
  fi
  build
  # Maven made folders among the sources, so the time is taken anew, unless someone edited in the meantime.
  : >"$STATE/began.$$"
  if [[ $(sources_digest) != "$DIGEST" ]]; then
    say "the sources changed during the build; the next start builds again"
    rm -f "$STATE/began.$$"
    APP+=-edited
  fi
  lay_out
  describe_app
  train_cli_in_background
  remove_old_apps
}

# Sets DIGEST, APP and CLI_CLASS_PATH, and succeeds if that build exists. Then a file is left that carries
# the time before the sources were read, so that an edit in the meantime is noticed later.
build_is_current() {
  local began=$STATE/began.$$
  : >"$began"
  TEMPORARY+=("$began")
  DIGEST=$(sources_digest)
  APP=$STATE/app/$DIGEST
  describe_app
  [[ -f $APP/complete ]] && return
  rm -f "$began"
  return 1
}

sources_digest() {
  local digest
  digest=$(cd "$ATOLL_ROOT" && find "${SOURCE_ROOTS[@]}" \( "${UNWATCHED[@]}" \) -prune -o -type f -print0 2>/dev/null |
    sort -z | xargs -0 sha256sum | sha256sum) || true
  printf '%s' "${digest:0:16}"
}

poms_digest() {
  local digest
  digest=$(cd "$ATOLL_ROOT" && find . -name target -prune -o -name pom.xml -print0 | sort -z | xargs -0 sha256sum | sha256sum)
  printf '%s' "${digest:0:16}"
}

maven() {
  JAVA_HOME=$RESOLVED_JAVA_HOME "$ATOLL_ROOT/mvnw" -B -ntp -f "$ATOLL_ROOT/pom.xml" "$@"
}

# One Maven at a time in this checkout, since all write to target/. Apart from the launcher's lock, so that a test may use
# ./atoll while `./atoll test` waits for it. The descriptor is 8 everywhere and stays open until the launcher ends.
take_maven_lock() {
  exec 8>"$STATE/maven.lock"
  flock -n 8 && return
  # The tests wait for the one that asks.
  [[ -z ${ATOLL_TEST_RUN:-} ]] || die "the sources are not those that were built before the tests: ${DIGEST:-none}"
  say "another ./atoll runs Maven in this checkout; waiting for it"
  flock 8
}

# maven_step NAME LOG MESSAGE ARGUMENT...: a Maven run that needs no network when one of that name succeeded before with the
# same poms, and that falls back to the local repository when there is no network.
maven_step() {
  local name=$1 log=$2 message=$3 known
  shift 3
  known=$STATE/cached.$name.$(poms_digest)
  take_maven_lock
  : >"$log"
  if [[ -f $known ]]; then
    step "$log" "$message" maven -o "$@" && return
    grep -q -i 'offline mode' "$log" || return 1
    : >"$log"
  fi
  if ! step "$log" "$message" maven "$@"; then
    grep -q -E 'Could not transfer|Unknown host|Network is unreachable|Temporary failure in name resolution|Connection (refused|timed out)' "$log" || return 1
    say "no network: trying with what is cached"
    step "$log" "$message" maven -o "$@" || return 1
  fi
  rm -f "$STATE/cached.$name".*
  : >"$known"
}

# What a user runs, and nothing else: no checks, no tests, in target/product, apart from what `./atoll test` builds.
build() {
  local log=$ATOLL_HOME/logs/build.log
  rm -rf "$ATOLL_ROOT"/{server,cli}/target/product/lib # Maven leaves a library there that is of an earlier version
  maven_product build "$log" "building Atoll" server,cli || build_failed "$log" "the build failed"
}

# maven_product NAME LOG MESSAGE MODULES. A JVM that lives for half a minute does better without its optimising compiler.
maven_product() {
  local -x MAVEN_OPTS="-XX:TieredStopAtLevel=1 -XX:+UseSerialGC ${MAVEN_OPTS:-}"
  maven_step "$1" "$2" "$3" package -T 1C -Dproduct -pl "$4" -am
}

# The compiler's own words before Maven's advice.
build_failed() {
  if grep -q '^\[ERROR\] /' "$1"; then grep '^\[ERROR\] /' "$1" | sort -u | head -n 20 >&2; else show_end "$1"; fi
  die "$2 (all of it in $1)"
}

# Copies what runs into a folder of its own, complete or not at all.
lay_out() {
  local new part made jar
  mkdir -p "$STATE/app"
  temporary_directory "$STATE/app"
  new=$REPLY
  for part in cli server; do
    made=$ATOLL_ROOT/$part/target/product
    jar=$(find "$made" -maxdepth 1 -name "atoll-$part-[0-9]*.jar" 2>/dev/null | head -n 1)
    [[ -n $jar && -d $made/lib ]] || die "the build left no atoll-$part-*.jar or no lib in $made"
    mkdir "$new/$part"
    cp --reflink=auto "$jar" "$new/$part/atoll-$part.jar"
    cp --reflink=auto -r "$made/lib" "$new/$part/lib"
  done
  cp -r "$ATOLL_ROOT/templates" "$new/templates"
  chmod 755 "$new"
  : >"$new/complete"
  rm -rf "$APP"
  mv -T "$new" "$APP"
}

describe_app() {
  local jars=("$APP"/cli/lib/*.jar) IFS=:
  CLI_CLASS_PATH="$APP/cli/atoll-cli.jar:${jars[*]}"
}

# The CLI's classes, loaded and linked ahead of time. The training run should touch what a `run` touches; here no server
# answers, so it fails, which does not matter: the cache is written when the JVM ends.
train_cli() {
  local new=$APP/.cli.aot.$$
  rm -f "$APP/cli.aot" "$APP/cli.aot.jdk"
  ATOLL_URL=http://127.0.0.1:1 ATOLL_API_KEY=training "$RESOLVED_JAVA_HOME/bin/java" "${CLI_FLAGS[@]}" \
    -XX:AOTCacheOutput="$new" -cp "$CLI_CLASS_PATH" dev.atoll.cli.Main run -c 'print(1)' || true
  [[ -s $new ]] && mv -f "$new" "$APP/cli.aot" && jdk_release >"$APP/cli.aot.jdk"
  rm -f "$new" "$new.config"
}

train_cli_in_background() {
  (
    trap - EXIT
    trap '' INT HUP
    train_cli
  ) </dev/null >"$ATOLL_HOME/logs/aot.log" 2>&1 8>&- 9>&- &
  disown
}

# Keeps what a process still runs from.
remove_old_apps() {
  local old
  for old in "$STATE"/app/*/; do
    old=${old%/}
    if [[ $old != "$APP" ]] && ! grep -qs -F -e "$old/" /proc/[0-9]*/cmdline; then rm -rf "$old"; fi
  done
}
