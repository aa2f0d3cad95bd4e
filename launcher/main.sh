# shellcheck shell=bash disable=SC2034  # the parts share names
# The cold path: sub-commands of the launcher, and what must happen before the CLI can start.

# shellcheck source=launcher/say.sh
source "$ATOLL_ROOT/launcher/say.sh"
# shellcheck source=launcher/debian.sh
source "$ATOLL_ROOT/launcher/debian.sh"
# shellcheck source=launcher/packages.sh
source "$ATOLL_ROOT/launcher/packages.sh"
# shellcheck source=launcher/jdk.sh
source "$ATOLL_ROOT/launcher/jdk.sh"
# shellcheck source=launcher/runsc.sh
source "$ATOLL_ROOT/launcher/runsc.sh"
# shellcheck source=launcher/build.sh
source "$ATOLL_ROOT/launcher/build.sh"
# shellcheck source=launcher/server.sh
source "$ATOLL_ROOT/launcher/server.sh"
# shellcheck source=launcher/check.sh
source "$ATOLL_ROOT/launcher/check.sh"

main() {
  local command=${1:-help}
  [[ $# -eq 0 ]] || shift
  show_own_help "$command" "$@"
  refuse_without_root "$command" "$@"
  # Others may pass through (guests' programs do, without privileges) but not look around.
  if [[ ! -d $ATOLL_HOME ]]; then { mkdir -p "${ATOLL_HOME%/*}" && mkdir -m 711 "$ATOLL_HOME"; } 2>/dev/null || true; fi
  (umask 077 && mkdir -p "$ATOLL_HOME/logs") 2>/dev/null || true
  mkdir -p "$STATE" 2>/dev/null || true
  if [[ ! -w $ATOLL_HOME/logs || ! -w $STATE ]]; then
    die "cannot write to $ATOLL_HOME and $STATE: run as root (sudo), or set ATOLL_HOME to a folder of yours"
  fi
  trap clean_up EXIT
  trap 'interrupted 130' INT
  trap 'interrupted 143' TERM HUP
  case $command in
    setup) set_up "$@" ;;
    up) WANTS_SANDBOX=1 start_server "$@" ;;
    down) stop_server "$@" ;;
    restore) restore_backup "$@" ;;
    test) run_tests "$@" ;;
    bench) run_bench "$@" ;;
    soak) run_soak "$@" ;;
    trials) run_trials "$@" ;;
    demo) run_demo "$@" ;;
    *)
      WANTS_SANDBOX=1 prepare
      # A server of this machine will be wanted, and one from before the build must not answer for it.
      if [[ -z ${ATOLL_URL:-} ]]; then replace_outdated_server; fi
      clean_up
      trap - EXIT INT TERM HUP
      run_cli "$command" "$@"
      ;;
  esac
}

# Shows help that needs neither a build nor a place to write, and ends; returns if something else was asked for. The texts are
# the CLI's own (a test of its compares them); help of its other commands is the CLI's to show.
show_own_help() {
  local command=$1 argument
  shift
  case $command in
    help | -h | --help)
      if (($# == 0)); then
        cat "$ATOLL_ROOT/launcher/help/atoll.txt"
        exit 0
      fi
      if (($# > 1)) || [[ ! -f $ATOLL_ROOT/launcher/help/$1.txt || $1 == */* ]]; then return 0; fi
      cat "$ATOLL_ROOT/launcher/help/$1.txt"
      exit 0
      ;;
    setup | up | down | restore | test | bench | soak | trials | demo)
      for argument in "$@"; do
        if [[ $argument == -h || $argument == --help ]]; then
          cat "$ATOLL_ROOT/launcher/help/$command.txt"
          exit 0
        fi
      done
      ;;
  esac
}

# Sandboxes of this machine need root, which is said before anything is fetched, built or written.
refuse_without_root() {
  local command=$1 argument
  ((EUID != 0)) || return 0
  for argument in "$@"; do
    case $argument in --) break ;; -h | --help) return 0 ;; esac
  done
  local own=1
  case "$command ${2:-}" in
    "test unit" | version* | --version* | -V* | completion* | help*) return 0 ;;
    up* | down* | restore* | setup* | test* | bench* | soak* | trials*) ;;
    *)
      [[ -z ${ATOLL_URL:-} ]] || return 0 # a server elsewhere, for which this is a client and nothing more
      own=
      ;;
  esac
  say "this needs root, and you are $(id -un): sandboxes are made of namespaces, mounts and control groups. Nothing was done. Try"
  printf '  sudo %s %s\n' "$ATOLL_LAUNCHER" "$command ..." >&2
  if [[ -z $own ]]; then
    say 'or use a server that somebody else runs, with a key from its "atoll key create":'
    printf '  ATOLL_URL=http://HOST:7070 ATOLL_API_KEY=... %s %s\n' "$ATOLL_LAUNCHER" "$command ..." >&2
  fi
  say "docs/adr/0016-rootless.md has what is missing for sandboxes without root"
  exit "$EXIT_NEEDS_INSTALL"
}

# Everything the CLI needs: a JDK, the build, and (unless a server elsewhere is used) runsc and the template tools.
prepare() {
  take_lock "$STATE/lock" "another ./atoll is setting up this checkout"
  find_or_get_jdk
  if build_is_current; then :; else want_to_build; fi
  if [[ -z ${ATOLL_URL:-} ]]; then want_to_run; fi
  install_missing
  if [[ -z ${ATOLL_URL:-} ]]; then find_or_begin_runsc; fi
  build_if_changed
  if [[ -z ${ATOLL_URL:-} ]]; then
    [[ -z ${WANTS_SANDBOX:-} ]] || make_first_ground
    await_runsc
  fi
  remember
  release_lock
}

# All that `run`, `test` and `bench` will want, ahead of time, while there is a network.
set_up() {
  (($# == 0)) || misused "setup takes no arguments"
  prepare
  want_for_tests
  install_missing
  get_runsc_of_debian || say "without it './atoll test' cannot test upgrades"
  say "ready: JDK $RESOLVED_JAVA_HOME, runsc $RESOLVED_RUNSC"
}

remember() {
  printf '%s\n' "3|$ATOLL_HOME|$ATOLL_TOOLS|${JAVA_HOME:-}|${ATOLL_RUNSC:-}" "$RESOLVED_JAVA_HOME" "$APP" "$CLI_CLASS_PATH" \
    "$RESOLVED_RUNSC" "$(jdk_release)" >"$RESOLVED.$$"
  # Without the time at which they were read, the sources changed during the build: the next start must look again.
  touch -r "$STATE/began.$$" "$RESOLVED.$$" 2>/dev/null || touch -d @0 "$RESOLVED.$$"
  mv -f "$RESOLVED.$$" "$RESOLVED"
}
