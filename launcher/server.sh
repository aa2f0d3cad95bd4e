# shellcheck shell=bash disable=SC2034  # the parts share names
# The background server: start, stop, and telling whether it runs.

readonly SERVER_MAIN=dev.atoll.server.Main
readonly SERVER_PATIENCE=${ATOLL_START_TIMEOUT:-60} # seconds without progress
readonly SERVER_PROGRESS=20                         # hundredths of a second of processor time; an idle JVM takes less in a minute
readonly LAST_OWN_SETTING=--log.stderr=false        # the launcher's; what follows it was given to `up`
readonly SERVER_FLAGS=(-Xms64m -Xmx512m -XX:+UseG1GC -XX:+ExitOnOutOfMemoryError -XX:-UsePerfData
  # More carriers than processors: one request with much to do does not keep the others from theirs.
  -Djdk.virtualThreadScheduler.parallelism=16
  --enable-native-access=ALL-UNNAMED -Dfile.encoding=UTF-8)

# Sets SERVER_PID, SERVER_URL, SERVER_COMMAND and SERVER_SETTINGS and succeeds if the server of this ATOLL_HOME runs and is ready.
server_running() {
  local text
  SERVER_PID='' SERVER_URL='' SERVER_COMMAND='' SERVER_SETTINGS=()
  [[ -r $ATOLL_HOME/run/server.json ]] || return 1
  text=$(<"$ATOLL_HOME/run/server.json")
  [[ $text =~ \"pid\"[[:space:]]*:[[:space:]]*([0-9]+) ]] || return 1
  is_our_server "${BASH_REMATCH[1]}" || return 1
  SERVER_PID=${BASH_REMATCH[1]}
  if [[ $text =~ \"url\"[[:space:]]*:[[:space:]]*\"([^\"]+)\" ]]; then SERVER_URL=${BASH_REMATCH[1]}; fi
  [[ ! $text =~ \"ready\"[[:space:]]*:[[:space:]]*false ]]
}

# A pid may have been given to another process since: only one that runs our main class on this data directory counts.
is_our_server() {
  local arguments
  [[ -r /proc/$1/cmdline ]] || return 1
  mapfile -d '' -t arguments <"/proc/$1/cmdline" 2>/dev/null || return 1
  SERVER_COMMAND=" ${arguments[*]} "
  settings_of "${arguments[@]}"
  [[ $SERVER_COMMAND == *" $SERVER_MAIN "* && $SERVER_COMMAND == *" --data-dir=$ATOLL_HOME "* ]]
}

# Sets SERVER_SETTINGS to what `up` was given: all that follows the launcher's own last argument.
settings_of() {
  SERVER_SETTINGS=()
  while (($# > 0)) && [[ $1 != "$LAST_OWN_SETTING" ]]; do shift; done
  if (($# > 1)); then SERVER_SETTINGS=("${@:2}"); fi
}

# A server that runs keeps its settings until `up` is given others; one that is started anew for its age keeps them too.
start_server() {
  local quiet='' settings=()
  while (($# > 0)); do
    case $1 in
      --quiet | -q) quiet=1 ;;
      --data-dir=*) misused "up takes its data directory from ATOLL_HOME, not from --data-dir" ;;
      --gvisor.runsc=*) misused "up takes runsc from ATOLL_RUNSC, not from --gvisor.runsc" ;;
      --[a-z]*=*) settings+=("$1") ;;
      *) misused "up has no option $1; see ./atoll up --help" ;;
    esac
    shift
  done
  if ! { resolved && [[ -n $RESOLVED_RUNSC ]] && command -v mmdebstrap >/dev/null && ! sources_newer_than "$RESOLVED"; }; then
    ATOLL_URL='' prepare
  fi
  take_lock "$ATOLL_HOME/launcher.lock" "another ./atoll is starting or stopping the server"
  if server_running && server_is_outdated; then
    say "the sources or runsc changed: restarting the server; sandboxes go on"
    if ((${#settings[@]} == 0)); then settings=("${SERVER_SETTINGS[@]}"); fi
    terminate_server
  elif [[ -n $SERVER_PID && ${#settings[@]} -gt 0 && ${settings[*]} != "${SERVER_SETTINGS[*]}" ]]; then
    say "the server runs with other settings: restarting it; sandboxes go on"
    terminate_server
  fi
  if ! server_running; then launch_server "${settings[@]}"; fi
  release_lock
  [[ -n $quiet ]] || printf '%s\n' "$SERVER_URL"
}

replace_outdated_server() {
  if server_running && server_is_outdated; then start_server --quiet; fi
}

# Whether the server that server_running has found is of another build, or of another runsc.
server_is_outdated() {
  [[ $SERVER_COMMAND != *" $APP/"* || $SERVER_COMMAND != *" --gvisor.runsc=$RESOLVED_RUNSC "* ]]
}

# launch_server SETTING...: what the JVM itself prints goes to server.out; the server's log is server.log.
launch_server() {
  local log=$ATOLL_HOME/logs/server.out pid class_path before
  (umask 077 && mkdir -p "$ATOLL_HOME/run")
  keep_runsc_of_earlier_servers
  if [[ -f $log && $(stat -c %s "$log") -gt 10485760 ]]; then mv -f "$log" "$log.1"; fi
  before=$(stat -c %s "$log" 2>/dev/null || printf 0)
  class_path="$APP/server/atoll-server.jar:$APP/server/lib/*"
  # shellcheck disable=SC2086  # options are meant to be split
  setsid "$RESOLVED_JAVA_HOME/bin/java" "${SERVER_FLAGS[@]}" ${ATOLL_JAVA_OPTS:-} \
    -cp "$class_path" "$SERVER_MAIN" "--data-dir=$ATOLL_HOME" "--templates-dir=$APP/templates" "--gvisor.runsc=$RESOLVED_RUNSC" \
    "$LAST_OWN_SETTING" "$@" \
    </dev/null >>"$log" 2>&1 8>&- 9>&- &
  pid=$!
  disown
  await_server "$pid" "$log" "$before"
}

# await_server PID LOG OFFSET: until it is ready. On a busy machine that takes long: it is given up when it does nothing any more.
await_server() {
  local pid=$1 log=$2 began=$SECONDS advanced=$SECONDS spoken=0 size='' ticks=0 now
  until server_running && ((SERVER_PID == pid)); do
    if ! kill -0 "$pid" 2>/dev/null; then
      show_since "$log" "$3"
      die "the server ended while starting (see $log, and server.log beside it)"
    fi
    now=$(stat -c %s "$ATOLL_HOME/logs/server.log" 2>/dev/null || true)
    processor_ticks "$pid"
    if [[ $now != "$size" ]] || ((REPLY - ticks >= SERVER_PROGRESS)); then
      size=$now ticks=$REPLY advanced=$SECONDS
    elif ((SECONDS - advanced >= SERVER_PATIENCE)); then
      show_end "$ATOLL_HOME/logs/server.log"
      kill -TERM "$pid" 2>/dev/null || true
      die "the server is not ready after $((SECONDS - began)) s and does nothing (see $ATOLL_HOME/logs/server.log; ATOLL_START_TIMEOUT gives it longer)"
    fi
    if ((SECONDS - began > 2 && SECONDS - began >= spoken)); then
      if ((spoken == 0)); then say "starting the server ..."; else say "starting the server ($((SECONDS - began)) s)"; fi
      spoken=$((SECONDS - began + 15))
    fi
    sleep 0.05
  done
}

# Sets REPLY to the processor time of a process and of the children that it has waited for, in hundredths of a second.
processor_ticks() {
  local stat fields
  REPLY=0
  # Not by $(<...): where the process has gone, that would end the launcher without a word.
  { IFS= read -r stat <"/proc/$1/stat"; } 2>/dev/null || return 0
  read -r -a fields <<<"${stat##*) }" # a program's name may have spaces
  REPLY=$((fields[11] + fields[12] + fields[13] + fields[14]))
}

stop_server() {
  local all='' left
  while (($# > 0)); do
    case $1 in
      --all) all=1 ;;
      *) misused "down has no option $1; see ./atoll down --help" ;;
    esac
    shift
  done
  if [[ -n $all ]]; then
    start_server --quiet # sandboxes are ended by the server, also those that outlived the last one
    { call_cli services stop --all && call_cli rm --all --force; } || die "not all sandboxes could be ended; the server goes on"
  fi
  take_lock "$ATOLL_HOME/launcher.lock" "another ./atoll is starting or stopping the server"
  if server_running || [[ -n $SERVER_PID ]]; then
    terminate_server
    say "the server has stopped"
  else
    say "no server is running"
  fi
  left=$(find "$ATOLL_HOME/sandboxes" -mindepth 1 -maxdepth 1 -type d 2>/dev/null | wc -l)
  if ((left > 0)); then say "$left sandboxes remain and go on; './atoll up' finds them again, './atoll down --all' ends them"; fi
  release_lock
}

# run_cli for what goes on afterwards.
call_cli() { (trap - EXIT && run_cli "$@"); }

# SIGTERM, then patience: the server detaches from its sandboxes. SIGKILL loses nothing either, but is the last resort.
terminate_server() {
  local waited=0 pid=$SERVER_PID
  kill -TERM "$pid" 2>/dev/null || true
  while is_our_server "$pid"; do
    if ((++waited > 300)); then
      say "the server does not stop; killing it"
      kill -KILL "$pid" 2>/dev/null || true
      waited=0
    fi
    sleep 0.1
  done
}

# A new home, while runsc is still being built: the Debian that the first sandbox will stand on, for which no runsc is needed.
# Where this fails, the server does it again, and says what is wrong.
make_first_ground() {
  [[ -z $RESOLVED_RUNSC && ! -e $ATOLL_HOME/atoll.db && ! -e $ATOLL_HOME/templates ]] || return 0
  step "$ATOLL_HOME/logs/ground.log" "building Debian for the first sandbox" "$RESOLVED_JAVA_HOME/bin/java" "${SERVER_FLAGS[@]}" \
    -cp "$APP/server/atoll-server.jar:$APP/server/lib/*" "$SERVER_MAIN" ground python "--data-dir=$ATOLL_HOME" \
    "--templates-dir=$APP/templates" --log.stderr=false || true
}

# By the server's own program, which refuses a directory in which something was kept, and a file that is not whole.
restore_backup() {
  (($# == 1)) || misused "restore takes one file; see ./atoll restore --help"
  [[ -r $1 ]] || die "there is no file $1 that could be read"
  local file
  file=$(realpath -- "$1")
  prepare
  take_lock "$ATOLL_HOME/launcher.lock" "another ./atoll is starting or stopping the server"
  if server_running || [[ -n $SERVER_PID ]]; then die "the server of $ATOLL_HOME runs; restore with another ATOLL_HOME, or stop it and move its data away"; fi
  "$RESOLVED_JAVA_HOME/bin/java" "${SERVER_FLAGS[@]}" -cp "$APP/server/atoll-server.jar:$APP/server/lib/*" "$SERVER_MAIN" \
    restore "$file" "--data-dir=$ATOLL_HOME" --log.stderr=false || die "$1 was not restored"
  release_lock
}

run_bench() {
  local log=$ATOLL_HOME/logs/build.log jars
  start_server --quiet
  maven_product bench "$log" "building the bench" bench || build_failed "$log" "the bench does not build"
  jars=("$ATOLL_ROOT"/bench/target/product/atoll-bench-[0-9]*.jar)
  export ATOLL_RUNSC=$RESOLVED_RUNSC
  clean_up
  trap - EXIT INT TERM HUP
  exec "$RESOLVED_JAVA_HOME/bin/java" --enable-native-access=ALL-UNNAMED -cp "${jars[0]}:$ATOLL_ROOT/bench/target/product/lib/*" \
    dev.atoll.bench.Main "$@"
}

# The demo is built when it is wanted, apart from the server: it brings the libraries of several providers of models.
run_demo() {
  local log=$ATOLL_HOME/logs/build.log built=$STATE/demo changed jars
  if [[ -z ${ATOLL_URL:-} ]]; then start_server --quiet; else prepare; fi
  changed=$(cd "$ATOLL_ROOT" && find pom.xml model sdk/java agents examples \( "${UNWATCHED[@]}" \) -prune \
    -o -cnewer "$built" -print -quit 2>&1) || true # also says so when there is no such file yet
  if [[ -n $changed ]]; then
    maven_step demo "$log" "building the demo" package -T 1C -pl examples -am -DskipTests -Djacoco.skip \
      -Dspotless.check.skip -Dspotless.skip || build_failed "$log" "the demo does not build"
    : >"$built"
  fi
  jars=("$ATOLL_ROOT"/examples/target/atoll-examples-[0-9]*.jar)
  clean_up
  trap - EXIT INT TERM HUP
  exec "$RESOLVED_JAVA_HOME/bin/java" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx256m \
    -cp "${jars[0]}:$ATOLL_ROOT/examples/target/lib/*" dev.atoll.examples.demo.Demo "$@"
}
