# shellcheck shell=bash disable=SC2034  # the parts share names
# `./atoll test`: everything the build can check, then proof that nothing stayed behind.

run_tests() {
  local goals=(verify --fail-at-end) kind=all
  if [[ ${1:-} == unit ]]; then
    kind=unit goals=(test --fail-at-end -DskipITs)
    shift
  fi
  if [[ $kind == all ]]; then
    want_for_tests
    ATOLL_URL='' prepare # builds too, so that a test that uses ./atoll finds it built
    get_runsc_of_debian || die "the tests of upgrades need the runsc of Debian $NEWER_SUITE"
  else
    take_lock "$STATE/lock" "another ./atoll is setting up this checkout"
    find_or_get_jdk
    want_to_build
    install_missing
    release_lock
  fi
  take_maven_lock
  prepare_test_home
  find "$ATOLL_ROOT" -path '*/target/*-reports/TEST-*.xml' -delete
  local status=0 leftovers=0
  leftovers_snapshot
  maven_shown "$kind" "${goals[@]}" "$@" || status=$?
  release_lock
  report_leftovers || leftovers=1
  summary "$status" "$leftovers"
}

# `./atoll soak`: the long form of what the tests do in short.
run_soak() {
  local part=KillSoakIT,CycleSoakIT,StreamSoakIT kills=200 cycles=10000 mebibytes=2500
  while (($# > 0)); do
    case $1 in
      kills) part=KillSoakIT ;;
      cycles) part=CycleSoakIT ;;
      stream) part=StreamSoakIT ;;
      --kills=* | --cycles=* | --mib=* | --seed=*)
        [[ ${1#*=} =~ ^[0-9]{1,9}$ ]] || misused "${1%%=*} wants a number; see ./atoll soak --help"
        case $1 in
          --kills=*) kills=${1#*=} ;;
          --cycles=*) cycles=${1#*=} ;;
          --mib=*) mebibytes=${1#*=} ;;
          --seed=*) export ATOLL_SOAK_SEED=${1#*=} ;;
        esac
        ;;
      *) misused "soak has no part or option $1; see ./atoll soak --help" ;;
    esac
    shift
  done
  export ATOLL_SOAK_KILLS=$kills ATOLL_SOAK_CYCLES=$cycles ATOLL_SOAK_STREAM_MIB=$mebibytes
  run_tests -pl server -am -Dtest=NoUnitTest -Dit.test="$part" -Dsurefire.failIfNoSpecifiedTests=false \
    -Dfailsafe.failIfNoSpecifiedTests=false -Dguest.skipTests=true -Djacoco.skip -Dspotless.check.skip
}

# `./atoll trials`: programs that nobody here wrote. What the tests do with some of them, with all.
run_trials() {
  local tests=() form=text minutes=90 status=0 kept=$ATOLL_ROOT/server/target/trials
  export ATOLL_TRIALS=all
  while (($# > 0)); do
    case $1 in
      packages) tests+=(PackagesTrialIT) ;;
      cpython) tests+=(CPythonTrialIT) ;;
      cells) tests+=(CellsTrialIT) ;;
      clients) tests+=(ClientsTrialIT) ;;
      --short) ATOLL_TRIALS=short ;;
      --minutes=*) minutes=${1#*=} ;;
      -o=* | --output=*) form=${1#*=} ;;
      --minutes | -o | --output)
        (($# > 1)) || misused "$1 wants a value; see ./atoll trials --help"
        if [[ $1 == --minutes ]]; then minutes=$2; else form=$2; fi
        shift
        ;;
      *) misused "trials has no part or option $1; see ./atoll trials --help" ;;
    esac
    shift
  done
  [[ $minutes =~ ^[0-9]{1,6}$ ]] || misused "--minutes wants a number; see ./atoll trials --help"
  [[ $form == text || $form == json ]] || misused "--output is text or json; see ./atoll trials --help"
  ((${#tests[@]} > 0)) || tests=(PackagesTrialIT CPythonTrialIT CellsTrialIT ClientsTrialIT)
  ATOLL_TRIALS_END=$((EPOCHSECONDS + minutes * 60))
  export ATOLL_TRIALS_END
  rm -rf "$kept"
  MAVEN_SAYS=trials
  say "the build, then the trials; all that is said is in $ATOLL_HOME/logs/test.log"
  run_tests -pl server -am -Dtest=NoUnitTest -Dit.test="$(printf '%s,' "${tests[@]}")" -Dsurefire.failIfNoSpecifiedTests=false \
    -Dfailsafe.failIfNoSpecifiedTests=false -Dguest.skipTests=true -Djacoco.skip -Dspotless.check.skip >&2 || status=$?
  if [[ $form == json ]]; then trials_report "$kept" "$status"; else say "what came of each try is in $kept"; fi
  return "$status"
}

# All parts as one object. Parts that did not come so far are not in it, and `ok` is false then.
trials_report() {
  local file ok=true separator=''
  (($2 == 0)) || ok=false
  printf '{"ok":%s,"parts":[' "$ok"
  for file in "$1"/*.json; do
    [[ -f $file ]] || continue
    printf '%s' "$separator"
    tr -d '\n' <"$file"
    separator=,
  done
  printf ']}\n'
}

# Tests have a home of their own. It stays between runs so that templates are built once.
prepare_test_home() {
  export ATOLL_TEST_HOME=${ATOLL_TEST_HOME:-$ATOLL_HOME/test}
  export ATOLL_TEST_RUN=$$.$RANDOM # inherited by every process the tests start, which is how a forgotten one is found
  export ATOLL_RUNSC=${RESOLVED_RUNSC:-} ATOLL_EARLIER_RUNSC=$ATOLL_TOOLS/runsc
  export ATOLL_HOME_OF_LAUNCHER=$ATOLL_HOME
  mkdir -p "$ATOLL_TEST_HOME"
  # What tests that were broken off have left.
  grep -qs -F -e "$ATOLL_TEST_HOME/servers/" /proc/[0-9]*/cmdline || rm -rf "$ATOLL_TEST_HOME/servers"
}

# Shows Maven's output while it runs, and keeps it. Without network when the last run of this kind had all it needs.
maven_shown() {
  local name=test-$1 log=$ATOLL_HOME/logs/test.log known status=0
  shift
  known=$STATE/cached.$name.$(poms_digest)
  if [[ -f $known ]]; then
    ATOLL_HOME=$ATOLL_TEST_HOME maven -o "$@" </dev/null 2>&1 8>&- 9>&- | tee "$log" | maven_says || status=$?
    if ((status == 0)) || ! grep -q -i 'offline mode' "$log"; then return "$status"; fi
    status=0
  fi
  ATOLL_HOME=$ATOLL_TEST_HOME maven "$@" </dev/null 2>&1 8>&- 9>&- | tee "$log" | maven_says || status=$?
  if ((status == 0)); then
    rm -f "$STATE/cached.$name".*
    : >"$known"
  fi
  return "$status"
}

# All of it, or the lines alone with which something says how far it is.
MAVEN_SAYS=
maven_says() {
  if [[ -z $MAVEN_SAYS ]]; then cat; else sed -u -n -e "s/^.*$MAVEN_SAYS: //p" -e '/^\[ERROR\] .*TrialIT/p'; fi
}

leftovers_snapshot() {
  MOUNTS_BEFORE=$(atoll_mounts)
  CGROUPS_BEFORE=$(atoll_cgroups)
  LINKS_BEFORE=$(atoll_links)
}

atoll_mounts() { grep -E 'atoll|runsc' /proc/self/mountinfo | sort || true; }

atoll_cgroups() { find /sys/fs/cgroup -mindepth 1 -type d -path '*/atoll*/*' 2>/dev/null | sort || true; }

atoll_links() { find /run/atoll -mindepth 1 2>/dev/null | sort || true; }

# Prints one line for each thing the tests left behind.
leftovers() {
  local process arguments command
  for process in /proc/[0-9]*; do
    [[ ${process##*/} != "$$" && ${process##*/} != "$BASHPID" ]] || continue
    { mapfile -d '' -t arguments <"$process/cmdline"; } 2>/dev/null || continue # gone in the meantime
    command="${arguments[*]}"
    [[ -n $command ]] || continue # a thread of the kernel
    if [[ $command == *"$ATOLL_TEST_HOME/"* ]] || grep -qs -F -z -x -e "ATOLL_TEST_RUN=$ATOLL_TEST_RUN" "$process/environ"; then
      is_ancestor_or_child "${process##*/}" || printf 'process %s: %s\n' "${process##*/}" "${command:0:160}"
    fi
  done
  comm -13 <(printf '%s\n' "$MOUNTS_BEFORE") <(atoll_mounts) | sed -n 's/^./mount: &/p'
  comm -13 <(printf '%s\n' "$CGROUPS_BEFORE") <(atoll_cgroups) | sed -n 's/^./cgroup: &/p'
  comm -13 <(printf '%s\n' "$LINKS_BEFORE") <(atoll_links) | sed -n 's/^./file: &/p'
  awk -v home="$ATOLL_TEST_HOME/" 'index($8, home) == 1 { print "socket: " $8 }' /proc/net/unix
  find "$ATOLL_TEST_HOME" \( -path '*/templates/*' -o -path '*/tools/*' \) -prune -o \
    \( -path '*/sandboxes/*' -o -path '*/run/*' \) -printf 'file: %p\n' 2>/dev/null | head -n 20
}

# The launcher itself and the subshells that look for leftovers carry the mark too.
is_ancestor_or_child() {
  local parent
  parent=$(awk '/^PPid:/ { print $2 }' "/proc/$1/status" 2>/dev/null) || return 0 # gone in the meantime
  [[ $parent == "$$" || $parent == "$BASHPID" || $1 == "$PPID" || -z $parent ]]
}

# Allows ten seconds for the last ones to go.
report_leftovers() {
  local found deadline=$((SECONDS + 10))
  while found=$(leftovers) && [[ -n $found ]]; do
    if ((SECONDS >= deadline)); then
      say "the tests left behind:"
      printf '  %s\n' "${found//$'\n'/$'\n'  }" >&2
      return 1
    fi
    sleep 0.5
  done
}

# The last line: what every report of this run adds up to. A failure outside the tests (a gate, the C tests, something left
# behind) counts as one more.
summary() {
  local status=$1 leftovers=$2 passed failed skipped
  read -r passed failed skipped < <(
    { find "$ATOLL_ROOT" -path '*/target/*-reports/TEST-*.xml' -exec grep -h -m 1 '<testsuite ' {} + || true; } | awk '
      function number(name,   m) { return match($0, " " name "=\"[0-9]+\"") ? substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 4) + 0 : 0 }
      { tests += number("tests"); failed += number("failures") + number("errors"); skipped += number("skipped") }
      END { print tests - failed - skipped + 0, failed + 0, skipped + 0 }'
  )
  if ((status != 0 && failed == 0)); then
    say "the build failed outside the tests (all of it in $ATOLL_HOME/logs/test.log)"
    failed=1
  fi
  failed=$((failed + leftovers))
  printf '%d passed, %d failed%s\n' "$passed" "$failed" "$( ((skipped == 0)) || printf ', %d skipped' "$skipped")"
  ((status == 0 && failed == 0))
}
