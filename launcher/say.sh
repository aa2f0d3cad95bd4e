# shellcheck shell=bash disable=SC2034  # the parts share names
# Talking to the user, running long steps with progress, and cleaning up whatever way the launcher ends.

readonly EXIT_USAGE=2
readonly EXIT_NEEDS_INSTALL=4

TEMPORARY=()    # removed when the launcher ends
STEP_PID=       # process group of the step under way
STEP_WAITS=     # non-empty while the step must not be cut short
BACKGROUND_PID= # process group of the work beside the steps; at most one

say() { printf 'atoll: %s\n' "$*" >&2; }

die() {
  say "$@"
  exit 1
}

# A command line that makes no sense.
misused() {
  say "$@"
  exit "$EXIT_USAGE"
}

# Sets REPLY to a new directory that is removed when the launcher ends.
temporary_directory() {
  REPLY=$(mktemp -d "${1:-${TMPDIR:-/tmp}}/atoll.XXXXXXXX")
  TEMPORARY+=("$REPLY")
}

clean_up() {
  end_background
  ((${#TEMPORARY[@]} == 0)) || rm -rf -- "${TEMPORARY[@]}"
  TEMPORARY=()
}

# Ends a process group, all of it: what it leaves is removed next, and nobody may write there any more.
end_group() {
  local waited=0
  kill -TERM -- "-$1" 2>/dev/null || true
  wait "$1" 2>/dev/null || true
  while ((waited < 200)) && kill -0 -- "-$1" 2>/dev/null; do # not for ever: nobody may collect its dead
    if ((++waited == 100)); then kill -KILL -- "-$1" 2>/dev/null || true; fi
    sleep 0.05
  done
}

interrupted() {
  if [[ -n $STEP_PID && -n $STEP_WAITS ]]; then
    say "interrupted; finishing first: $STEP_WAITS"
    while kill -0 "$STEP_PID" 2>/dev/null; do wait "$STEP_PID" || true; done
  elif [[ -n $STEP_PID ]]; then
    end_group "$STEP_PID"
  fi
  [[ ! -t 2 ]] || printf '\r\033[K' >&2
  exit "$1" # the EXIT trap cleans up
}

# step LOG MESSAGE COMMAND...: runs the command with its output in LOG. From the third second on the user sees that it
# runs: one changing line on a terminal, plain lines elsewhere. Returns the command's status.
step() {
  local log=$1 message=$2 offset
  shift 2
  offset=$(stat -c %s "$log" 2>/dev/null) || offset=0
  set -m # a process group of its own, so that an interruption can end all of it
  "$@" </dev/null >>"$log" 2>&1 8>&- 9>&- &
  STEP_PID=$!
  set +m
  follow_step "$log" "$message" "$SECONDS" "$offset"
}

# begin_background LOG COMMAND...: the same beside the steps that follow, in silence; its log is begun anew.
begin_background() {
  local log=$1
  shift
  BACKGROUND_BEGAN=$SECONDS
  set -m
  "$@" </dev/null >"$log" 2>&1 8>&- 9>&- &
  BACKGROUND_PID=$!
  set +m
}

# await_background LOG MESSAGE: from here on it is a step like any other. Returns its status.
await_background() {
  STEP_PID=$BACKGROUND_PID BACKGROUND_PID=
  follow_step "$1" "$2" "$BACKGROUND_BEGAN" 0
}

end_background() {
  [[ -n $BACKGROUND_PID ]] || return 0
  end_group "$BACKGROUND_PID"
  BACKGROUND_PID=
}

# follow_step LOG MESSAGE BEGAN OFFSET: waits for the step under way, which may have begun earlier.
follow_step() {
  local log=$1 message=$2 began=$3 offset=$4 here=$SECONDS status=0 spoken='' frame=0 frames='|/-+' detail
  while kill -0 "$STEP_PID" 2>/dev/null; do
    if ((SECONDS - here >= 2)); then
      if [[ -t 2 ]]; then
        detail=$(step_detail "$log" "$offset")
        printf '\r\033[K%s %s (%d s)%s' "${frames:frame++%4:1}" "$message" $((SECONDS - began)) "${detail:+: $detail}" >&2
      elif [[ -z $spoken ]]; then
        if ((began == here)); then say "$message ..."; else say "$message ($((SECONDS - began)) s) ..."; fi
        spoken=1
      elif (((SECONDS - began) % 30 == 0 && SECONDS != spoken)); then
        detail=$(step_detail "$log" "$offset")
        say "$message ($((SECONDS - began)) s)${detail:+: $detail}"
        spoken=$SECONDS
      fi
    fi
    sleep 0.1
  done
  wait "$STEP_PID" || status=$?
  STEP_PID=
  [[ ! -t 2 ]] || printf '\r\033[K' >&2
  if ((status == 0 && SECONDS - here >= 2)); then say "$message: done in $((SECONDS - began)) s"; fi
  return "$status"
}

# step_detail LOG OFFSET: what the log's end says about how far the step is.
step_detail() {
  tail -c "+$(($2 + 1))" "$1" 2>/dev/null | tail -n 40 | sed -n -e 's/^\[INFO\] Building \(.*[^ ]\) [0-9][^ ]*  *\[\(.*\)\]$/\1 (\2)/p' \
    -e 's/^gvisor\.dev\/gvisor\/\(.*\)/compiling \1/p' -e 's/^go: \(downloading [^ ]*\) .*/\1/p' -e 's/^\(Get:[0-9]*\|Unpacking\|Setting up\|Selecting previously unselected package\) .*/&/p' | tail -n 1 | cut -c 1-60
}

# step_or_die LOG MESSAGE COMMAND...: the same, but a failure shows the log's end and ends the launcher.
step_or_die() {
  local log=$1 message=$2
  step "$@" && return
  show_end "$log"
  die "$message: failed (all of it in $log)"
}

show_end() {
  [[ -s $1 ]] || return 0
  say "the end of $1:"
  tail -n "${2:-25}" "$1" | sed 's/^/  | /' >&2
}

# show_since LOG OFFSET: the end of what was written after that many bytes; what earlier runs have said concerns nobody now.
show_since() {
  local said
  said=$(tail -c "+$(($2 + 1))" "$1" 2>/dev/null | tail -n 25) || true
  [[ -z $said ]] || printf '%s\n' "$said" | sed 's/^/  | /' >&2
}

# One launcher at a time does what the lock guards; the descriptor is 9 everywhere.
take_lock() {
  exec 9>"$1"
  flock -n 9 && return
  flock -w 2 9 && return
  say "$2; waiting for it"
  flock 9
}

release_lock() { exec 8>&- 9>&-; }
