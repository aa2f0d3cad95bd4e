# Atoll's Bash kernel: runs code like lines typed into one shell, which lasts as long as the process. See ../PROTOCOL.md.
#
# The code is evaluated in the shell itself and outside any function, or `declare` would make its variables local: kernel.sh sources loop, loop sources
# bash, and bash holds nothing but the eval, in its first line, so that bash counts the code's lines from 1.
#
# Messages of the shell begin with the name of the file that is sourced, as it was written. So that they begin with "bash: line 3: " as anywhere else,
# that file is sourced from its own folder, and the shell is back in the user's before the code begins.
#
# A shell that is not interactive knows no way back to its prompt. Two ways are used here:
# - exit and interrupts unwind the code: a DEBUG trap that answers 2 makes bash return from every function and from that file.
# - What ends the process itself (set -e, set -u, ${x:?}) runs the EXIT trap, which forks: the child has all the state and goes on.
#
# Names that begin with __atoll_ are the kernel's own. Internals name builtins as such where the user may define functions of that name.

__atoll_folder=${BASH_SOURCE%/*}
__atoll_self=$BASHPID     # the process that serves; children of the code differ
__atoll_code=             # what has arrived of the next code
__atoll_cells=0
__atoll_begun=            # whether there is code that has not been answered
__atoll_running=          # whether it runs now, and an interrupt is for it
__atoll_left=             # why it was left: "exit" or "interrupt"
__atoll_result=           # its status, once it is known
__atoll_status=0          # of the last code, for its $?
__atoll_exit_action=      # what the code wants done when it ends
__atoll_line=             # of the code, where a command failed
__atoll_signals=0         # interrupts that have come, and that were announced
__atoll_announced=0
__atoll_late=0            # announced for code that has ended; their signals are still to come
__atoll_cell=             # the file that holds the eval, by its name alone if the shell is in its folder
__atoll_directory=        # where the shell belongs while it is there, and what OLDPWD was
__atoll_previous=
__atoll_search=           # whether sourcing searches PATH, as shopt wants it
declare -A __atoll_thaw_variables=() __atoll_context_variables=() __atoll_run_variables=() __atoll_hidden=()

# Messages.

# Four bytes, the highest first, as printf wants them, into REPLY.
__atoll_number() {
  printf -v REPLY '\\x%02x' $(($1 >> 24 & 255)) $(($1 >> 16 & 255)) $(($1 >> 8 & 255)) $(($1 & 255))
}

__atoll_send() {
  local LC_ALL=C REPLY
  __atoll_number ${#2}
  printf "$1$REPLY%s" "$2" >&4
}

# Tells the agent that this process serves from now on.
__atoll_serve() {
  local REPLY
  __atoll_number "$BASHPID"
  printf "S\0\0\0\4$REPLY" >&4
}

# Reads a byte as a number into REPLY; bash cannot keep a zero byte, and reads it as nothing.
__atoll_byte() {
  local byte
  IFS= builtin read -r -d '' -n 1 -u 3 byte || return 1
  if [[ -z $byte ]]; then REPLY=0; else printf -v REPLY %d "'$byte"; fi
}

# Sets kind and length.
__atoll_header() {
  IFS= builtin read -r -d '' -n 1 -u 3 kind || return 1
  length=0
  local i
  for i in 1 2 3 4; do
    __atoll_byte || return 1
    length=$((length << 8 | REPLY))
  done
}

# Reads texts that end with a zero byte, length bytes in all, into texts.
__atoll_texts() {
  local text
  texts=()
  while ((length > 0)); do
    IFS= builtin read -r -d '' -u 3 text || return 1
    texts+=("$text")
    length=$((length - ${#text} - 1))
  done
}

__atoll_quote() {
  local text=${1//\\/\\\\}
  text=${text//\"/\\\"} text=${text//$'\n'/\\n} text=${text//$'\t'/\\t}
  REPLY=\"${text//[$'\x01'-$'\x1f']/?}\"
}

__atoll_fail() {
  local name=$1 value=$2 trace=$3
  __atoll_quote "$trace"
  __atoll_send e "{\"name\": \"$name\", \"value\": \"$value\", \"traceback\": [${3:+$REPLY}], \"exitCode\": $4}"
}

# Variables.

__atoll_pairs() {
  local -n pairs=$1
  local text
  pairs=()
  shift
  for text; do
    [[ $text == [a-zA-Z_]*([a-zA-Z0-9_])=* ]] && pairs[${text%%=*}]=${text#*=}
  done
}

__atoll_set_thaw_variables() {
  local name
  for name in "${!__atoll_thaw_variables[@]}"; do
    [[ -v __atoll_context_variables[$name] ]] || unset -v "$name"
  done
  __atoll_pairs __atoll_thaw_variables "$@"
  for name in "${!__atoll_thaw_variables[@]}"; do
    [[ -v __atoll_context_variables[$name] ]] || export "$name=${__atoll_thaw_variables[$name]}"
  done
}

__atoll_open() {
  local texts name i
  __atoll_texts || return
  for ((i = 1; i < ${#texts[@]}; i++)); do [[ -n ${texts[i]} ]] || break; done
  __atoll_pairs __atoll_context_variables "${texts[@]:i+1}"
  __atoll_set_thaw_variables "${texts[@]:1:i-1}"
  for name in "${!__atoll_context_variables[@]}"; do export "$name=${__atoll_context_variables[$name]}"; done
  local failure=0
  if [[ -n ${texts[0]} ]] && ! builtin cd -- "${texts[0]}" 2>/dev/null; then
    failure=2   # ENOENT, ENOTDIR or EACCES: bash does not tell, so look
    if [[ -d ${texts[0]} ]]; then failure=13; elif [[ -e ${texts[0]} ]]; then failure=20; fi
  fi
  printf -v failure '\\x%02x' "$failure"
  printf "O\0\0\0\1$failure" >&4
}

__atoll_thaw() {
  local texts count seed=0
  __atoll_byte || return
  count=$REPLY
  length=$((length - count - 1))
  for ((; count > 0; count--)); do
    __atoll_byte || return
    seed=$(((seed * 257 + REPLY) & 0x3fffffffffff))
  done
  __atoll_texts || return
  __atoll_set_thaw_variables "${texts[@]}"
  # Each kernel of a guest draws numbers of its own.
  RANDOM=$(((seed ^ BASHPID) & 0x7fffffff))
  printf 'T\0\0\0\0' >&4
}

# Variables of one execution; what they hid comes back after it.
__atoll_lend() {
  local name
  __atoll_hidden=()
  for name in "${!__atoll_run_variables[@]}"; do
    if [[ -v $name ]]; then __atoll_hidden[$name]=${!name@a}=${!name}; else __atoll_hidden[$name]=; fi
    export "$name=${__atoll_run_variables[$name]}"
  done
  __atoll_run_variables=()
}

__atoll_take_back() {
  local name was
  for name in "${!__atoll_hidden[@]}"; do
    was=${__atoll_hidden[$name]}
    if [[ -z $was ]]; then
      unset -v "$name"
    else
      printf -v "$name" %s "${was#*=}"
      [[ ${was%%=*} == *x* ]] || export -n "$name"
    fi
  done
  __atoll_hidden=()
}

# Executing.

# Takes in messages until there is code to run.
__atoll_next() {
  local LC_ALL=C IFS=$' \t\n' kind length REPLY piece texts
  # Left over when the code has broken out of loop.
  [[ -z $__atoll_begun ]] || __atoll_end
  while __atoll_header; do
    case $kind in
      E | X)
        piece=
        ((length == 0)) || IFS= builtin read -r -d '' -N "$length" -u 3 piece
        __atoll_code+=$piece
        [[ $kind == E ]] || { __atoll_begin && return 0; }
        ;;
      V) __atoll_texts && __atoll_pairs __atoll_run_variables "${texts[@]}" ;;
      O) __atoll_open ;;
      T) __atoll_thaw ;;
      I) __atoll_announce ;;
    esac
  done
  builtin trap - EXIT
  builtin exit 0
}

__atoll_announce() {
  if ((__atoll_signals > 0)); then ((__atoll_signals--)); else ((++__atoll_late)); fi
  return 0
}

# False when an interrupt that came ahead of the code was meant for it: then its announcement stands behind the code.
__atoll_begin() {
  ((++__atoll_cells))
  __atoll_lend
  __atoll_left= __atoll_line= __atoll_exit_action=
  __atoll_begun=1 __atoll_running=1
  if ((__atoll_signals > 0)); then
    local ahead=$__atoll_signals
    while builtin read -t 0 -u 3 && __atoll_header; do
      if [[ $kind == I ]]; then __atoll_announce; else __atoll_thaw; fi
    done
    if ((__atoll_signals < ahead)); then
      __atoll_left=interrupt
      __atoll_end
      return 1
    fi
    __atoll_signals=0
  fi
  __atoll_step_aside
  set -T
}

# Goes to the kernel's own folder, if there is a way back: the user's may have been removed, renamed or closed meanwhile.
__atoll_step_aside() {
  __atoll_cell=$__atoll_folder/bash
  [[ $PWD == /* && . -ef $PWD && -x $PWD && ${PWD@a}${OLDPWD@a} != *r* ]] || return 0
  local directory=$PWD previous=${OLDPWD+=$OLDPWD}
  builtin cd -L -- "$__atoll_folder" 2>/dev/null || return 0
  __atoll_directory=$directory __atoll_previous=$previous __atoll_cell=bash __atoll_search=-u
  ! shopt -q sourcepath || __atoll_search=-s
  shopt -u sourcepath
}

__atoll_step_back() {
  [[ -n $__atoll_directory ]] || return 0
  shopt "$__atoll_search" sourcepath
  builtin cd -L -- "$__atoll_directory" 2>/dev/null || builtin cd /
  if [[ -n $__atoll_previous ]]; then OLDPWD=${__atoll_previous#=}; else unset -v OLDPWD; fi
  __atoll_directory=
}

# The last thing before the code: lets it see how the one before it ended.
__atoll_with_status() {
  __atoll_step_back
  return "$__atoll_status"
}

# The line of the code that failed, into REPLY.
__atoll_where() {
  REPLY=
  [[ -n $__atoll_line ]] || return
  local lines
  mapfile -t -s "$((__atoll_line - 1))" -n 1 lines <<<"$__atoll_code"
  REPLY="cell $__atoll_cells, line $__atoll_line: ${lines[0]::2000}"
}

# Called with the status of the code in __atoll_result, whichever way it ended.
__atoll_end() {
  __atoll_running=
  builtin trap - DEBUG
  shopt -u extdebug
  set +euvx +o pipefail
  # When it was interrupted before it began.
  __atoll_step_back
  local IFS=$' \t\n' REPLY action=$__atoll_exit_action
  __atoll_status=${__atoll_result:-0}
  if [[ -n $action ]]; then eval "$action" 3<&- 4>&- 6>&-; fi
  case $__atoll_left in
    interrupt) __atoll_status=130; __atoll_fail Interrupted "" "" 130 ;;
    exit) __atoll_fail SystemExit "$__atoll_status" "" "$__atoll_status" ;;
    *) ((__atoll_status == 0)) || { __atoll_where; __atoll_fail ExitStatus "$__atoll_status" "$REPLY" "$__atoll_status"; } ;;
  esac
  __atoll_take_back
  __atoll_result= __atoll_exit_action= __atoll_code= __atoll_begun=
  printf 'D\0\0\0\0' >&4
}

# Leaving code.

__atoll_leave() {
  __atoll_left=$1
  shopt -s extdebug
  builtin trap __atoll_unwind DEBUG
}

__atoll_unwind() {
  [[ ${FUNCNAME[1]} == __atoll_* || ${FUNCNAME[1]} == source && ${BASH_SOURCE[1]} == "$__atoll_folder/loop" ]] || return 2
}

__atoll_interrupted() {
  if [[ -n $__atoll_running ]] && ((__atoll_late > 0)); then
    ((__atoll_late--))
    return
  fi
  if ((__atoll_late > 0)); then ((__atoll_late--)); else ((++__atoll_signals)); fi
  [[ -z $__atoll_running ]] || __atoll_leave interrupt
}

__atoll_failed() {
  [[ -z $__atoll_running || $2 == *__atoll_* ]] || __atoll_line=$1
}

__atoll_set_traps() {
  # An interrupt of the kernel is a signal of its own. SIGINT, when it comes just as bash begins to wait for a child, makes bash 5.2 send it to
  # itself without end.
  builtin trap __atoll_interrupted SIGRTMAX-2 INT
  builtin trap : SIGRTMAX-1
  builtin trap '__atoll_failed "$LINENO" "$BASH_COMMAND"' ERR
  builtin trap "$__atoll_on_exit" EXIT
}

# The first process stays to be waited for by the agent, until the pipe that all successors hold has no writer left; a later one ends at once.
# Interrupts are ignored before anything is forked: the successor may be interrupted before the reader of the pipe has run its first command.
__atoll_on_exit='
{ __atoll_result=$?; set +euvx; } 2>/dev/null
__atoll_self=
if ((BASHPID == $$)); then
  builtin trap "" INT
  { ( exec 6>&1 1>&5 5>&-; . "$__atoll_folder/successor" ) | { exec 3<&- 4>&- 5>&-; builtin read -r; }; } 5>&1
  builtin exit 1
fi
( . "$__atoll_folder/successor" ) &
builtin exit 0'

exit() {
  ((BASHPID == __atoll_self)) && [[ -n $__atoll_running ]] || builtin exit "$@"
  __atoll_result=${1:-$?}
  [[ $__atoll_result == *([0-9]) ]] && __atoll_result=$((10#0$__atoll_result & 255)) || __atoll_result=2
  __atoll_leave exit
}

# An EXIT trap that code sets belongs to that code, as it would to a script, and runs when it ends.
trap() {
  if ((BASHPID == __atoll_self)) && [[ $# -gt 1 && $1 != -* && " ${*:2} " == *" "@(EXIT|0)" "* ]]; then
    __atoll_exit_action=$1
    local signal others=()
    for signal in "${@:2}"; do [[ $signal == EXIT || $signal == 0 ]] || others+=("$signal"); done
    ((${#others[@]} == 0)) || builtin trap -- "$1" "${others[@]}"
  elif ((BASHPID == __atoll_self)) && [[ $# -eq 2 && $1 == - && $2 == @(EXIT|0) ]]; then
    __atoll_exit_action=
  else
    builtin trap "$@"
  fi
}

# Nobody is there to type.
read() {
  builtin read "$@" && return
  local status=$?
  if [[ " $* " != *" -u"* && /dev/stdin -ef /dev/null ]]; then
    echo "read: stdin is not available in run_code; pass data as a file or variable" >&2
  fi
  return "$status"
}

command_not_found_handle() {
  echo "bash: line ${BASH_LINENO[0]}: $1: command not found" >&2
  return 127
}

shopt -s expand_aliases
BASH_ARGV0=bash
__atoll_set_traps
printf 'R\0\0\0\2\x3f\x3e' >&4
. "$__atoll_folder/loop"
