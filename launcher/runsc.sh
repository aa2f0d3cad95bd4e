# shellcheck shell=bash disable=SC2034  # the parts share names
# gVisor's runsc: an adequate one on the PATH, Atoll's own, or that of a newer Debian release.

readonly RUNSC_AT_LEAST=20240729 # the first known to checkpoint a sandbox and keep it running

# Sets RESOLVED_RUNSC.
find_or_get_runsc() {
  local candidate found
  for candidate in "${ATOLL_RUNSC:-}" "$(command -v runsc || true)" "$ATOLL_TOOLS/runsc"; do
    if [[ -n $candidate && -x $candidate ]]; then
      found=$(runsc_date "$candidate")
      if ((found >= RUNSC_AT_LEAST)); then
        RESOLVED_RUNSC=$candidate
        return
      fi
      say "$candidate is of $found; at least $RUNSC_AT_LEAST is needed"
    fi
  done
  unpack_runsc
}

# The date in `runsc --version`: "release-20240729.0", "0.0~20240729.0", "VERSION_20240729"; 0 when there is none.
runsc_date() {
  local text
  text=$("$1" --version 2>/dev/null) || true
  if [[ $text =~ (20[0-9]{6}) ]]; then printf '%s' "${BASH_REMATCH[1]}"; else printf 0; fi
}

unpack_runsc() {
  local tree
  say "getting runsc (the sandbox itself) from Debian $NEWER_SUITE into $ATOLL_TOOLS/runsc"
  mkdir -p "$ATOLL_TOOLS"
  if prepare_private_apt; then
    temporary_directory "$ATOLL_TOOLS"
    tree=$REPLY
    if unpack_newer_debian "$tree" runsc && [[ -x $tree/usr/bin/runsc ]] &&
      (($(runsc_date "$tree/usr/bin/runsc") >= RUNSC_AT_LEAST)); then
      mv -f "$tree/usr/bin/runsc" "$ATOLL_TOOLS/runsc"
      RESOLVED_RUNSC=$ATOLL_TOOLS/runsc
      return
    fi
  fi
  show_end "$ATOLL_HOME/logs/setup.log"
  die "could not get runsc: install gVisor's runsc (release $RUNSC_AT_LEAST or later) on the PATH, or set ATOLL_RUNSC to it"
}
