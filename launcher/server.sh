# shellcheck shell=bash disable=SC2034  # the parts share names
# The background server: start, stop, and telling whether it runs.

readonly SERVER_MAIN=dev.atoll.server.Main
readonly SERVER_DEADLINE=${ATOLL_START_TIMEOUT:-60} # seconds
readonly SERVER_FLAGS=(-Xms64m -Xmx512m -XX:+UseG1GC -XX:+ExitOnOutOfMemoryError -XX:-UsePerfData
  --enable-native-access=ALL-UNNAMED -Dfile.encoding=UTF-8)

# Sets SERVER_PID, SERVER_URL and SERVER_COMMAND and succeeds if the server of this ATOLL_HOME runs and is ready.
server_running() {
  local text
  SERVER_PID='' SERVER_URL='' SERVER_COMMAND=''
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
  [[ $SERVER_COMMAND == *" $SERVER_MAIN "* && $SERVER_COMMAND == *" --data-dir=$ATOLL_HOME "* ]]
}

start_server() {
  local quiet=
  while (($# > 0)); do
    case $1 in
      --quiet | -q) quiet=1 ;;
      *) misused "up has no option $1; see ./atoll up --help" ;;
    esac
    shift
  done
  if ! { resolved && [[ -n $RESOLVED_RUNSC ]] && command -v mmdebstrap >/dev/null && ! sources_newer_than "$RESOLVED"; }; then
    ATOLL_URL='' prepare
  fi
  take_lock "$ATOLL_HOME/launcher.lock" "another ./atoll is starting or stopping the server"
  if server_running && [[ $SERVER_COMMAND != *" $APP/"* ]]; then
    say "the sources changed: restarting the server; sandboxes go on"
    terminate_server
  fi
  if ! server_running; then launch_server; fi
  release_lock
  [[ -n $quiet ]] || printf '%s\n' "$SERVER_URL"
}

replace_outdated_server() {
  if server_running && [[ $SERVER_COMMAND != *" $APP/"* ]]; then start_server --quiet; fi
}

# What the JVM itself prints goes to server.out; the server's log is server.log.
launch_server() {
  local log=$ATOLL_HOME/logs/server.out pid began=$SECONDS spoken='' class_path
  mkdir -p "$ATOLL_HOME/run"
  if [[ -f $log && $(stat -c %s "$log") -gt 10485760 ]]; then mv -f "$log" "$log.1"; fi
  class_path="$APP/server/atoll-server.jar:$APP/server/lib/*"
  # shellcheck disable=SC2086  # options are meant to be split
  ATOLL_RUNSC=$RESOLVED_RUNSC setsid "$RESOLVED_JAVA_HOME/bin/java" "${SERVER_FLAGS[@]}" ${ATOLL_JAVA_OPTS:-} \
    -cp "$class_path" "$SERVER_MAIN" "--data-dir=$ATOLL_HOME" "--templates-dir=$APP/templates" "--gvisor.runsc=$RESOLVED_RUNSC" \
    --log.stderr=false \
    </dev/null >>"$log" 2>&1 8>&- 9>&- &
  pid=$!
  disown
  until server_running && ((SERVER_PID == pid)); do
    if ! kill -0 "$pid" 2>/dev/null; then
      show_end "$log"
      die "the server ended while starting (see $log, and server.log beside it)"
    fi
    if ((SECONDS - began >= SERVER_DEADLINE)); then
      show_end "$ATOLL_HOME/logs/server.log"
      kill -TERM "$pid" 2>/dev/null || true
      die "the server was not ready after $SERVER_DEADLINE s (see $ATOLL_HOME/logs/server.log; ATOLL_START_TIMEOUT gives it longer)"
    fi
    if [[ -z $spoken ]] && ((SECONDS - began > 2)); then
      say "starting the server ..."
      spoken=1
    fi
    sleep 0.05
  done
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
    (trap - EXIT && run_cli services stop --all && run_cli rm --all --force) || die "not all sandboxes could be ended; the server goes on"
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

run_bench() {
  local log=$ATOLL_HOME/logs/build.log jars
  start_server --quiet
  maven_step bench "$log" "building the bench" package -pl bench -am -DskipTests -Dmaven.test.skip=true -Djacoco.skip \
    -Dspotless.check.skip -Dspotless.skip || build_failed "$log" "the bench does not build"
  jars=("$ATOLL_ROOT"/bench/target/atoll-bench-[0-9]*.jar)
  export ATOLL_RUNSC=$RESOLVED_RUNSC
  "$RESOLVED_JAVA_HOME/bin/java" --enable-native-access=ALL-UNNAMED -cp "${jars[0]}:$ATOLL_ROOT/bench/target/lib/*" \
    dev.atoll.bench.Main "$@"
}

# The demo is built when it is wanted, apart from the server: it brings the libraries of several providers of models.
run_demo() {
  local log=$ATOLL_HOME/logs/build.log built=$STATE/demo changed jars
  if [[ -z ${ATOLL_URL:-} ]]; then start_server --quiet; else prepare; fi
  changed=$(cd "$ATOLL_ROOT" && find pom.xml model sdk/java agents examples \( -name target -o -path '*/src/test' \) -prune \
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
