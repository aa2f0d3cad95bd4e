package dev.atoll.cli;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Completion for bash, and for zsh by way of its functions for bash: a table of the commands, and a
 * function that looks up what the words so far lead to. The server is only asked for names.
 */
final class PosixCompletion {
  private static final String WALK =
      """
      _complete_atoll() {
        if [ -n "${ZSH_VERSION-}" ]; then emulate -L sh; fi
        local word=${COMP_WORDS[COMP_CWORD]} line= place=0 i=1 at ends= kind= item glued=
        local subcommands options values places
        COMPREPLY=()
        _atoll_command ''
        while [ $i -lt $COMP_CWORD ]; do
          item=${COMP_WORDS[i]}
          i=$((i + 1))
          kind=
          if [ -n "$ends" ]; then continue; fi
          case $item in
            --) ends=1 ;;
            -*)
              case " $values " in
                *" $item="*)
                  kind=${values#*" $item="}
                  kind=${kind%% *}
                  if [ $i -lt $COMP_CWORD ] && [ "${COMP_WORDS[i]}" = = ]; then i=$((i + 1)); fi
                  if [ $i -lt $COMP_CWORD ]; then i=$((i + 1)) kind=; elif [ "$word" = = ]; then word=; fi
                  ;;
              esac
              ;;
            *)
              case " $subcommands " in
                *" $item "*) line="$line $item" place=0; _atoll_command "$line" ;;
                *) place=$((place + 1)) ;;
              esac
              ;;
          esac
        done
        if [ -n "$ends" ]; then return 0; fi
        if [ -z "$kind" ]; then
          case $word in
            --*=*)
              glued=${word%%=*}=
              case " $values " in *" $glued"*) kind=${values#*" $glued"}; kind=${kind%% *}; word=${word#*=} ;; esac
              ;;
            -*) _atoll_offer "$options"; return 0 ;;
            *)
              if [ -n "$subcommands" ]; then _atoll_offer "$subcommands"; return 0; fi
              at=0
              for item in $places; do
                kind=$item
                if [ $at -ge $place ]; then break; fi
                at=$((at + 1))
              done
              ;;
          esac
        fi
        _atoll_values
      }

      # What begins with the word; files too when there is nothing else to say.
      _atoll_values() {
        case $kind in
          sandboxes) _atoll_offer "$(_atoll_names ls --quiet)" ;;
          snapshots) _atoll_offer "$(_atoll_names snapshot ls --quiet)" ;;
          templates) _atoll_offer "$(_atoll_names templates --quiet)" ;;
          files) ;;
          places)
            case $word in */* | .*) return 0 ;; esac
            for item in $(_atoll_names ls --quiet); do
              case $item: in "$word"*) COMPREPLY+=("$item:") ;; esac
            done
            if [ ${#COMPREPLY[@]} -gt 0 ] && type compopt >/dev/null 2>&1; then compopt -o nospace 2>/dev/null; fi
            for item in "$word"*; do
              if [ -e "$item" ]; then COMPREPLY+=("$item"); fi
            done
            ;;
          any | '') _atoll_offer '' ;;
          *) _atoll_offer "$(printf '%s' "$kind" | tr , ' ')" ;;
        esac
        return 0
      }

      _atoll_offer() {
        local one
        if type compopt >/dev/null 2>&1; then compopt +o default 2>/dev/null; fi
        for one in $1; do
          case $one in
            "$word"*) if [ -n "${ZSH_VERSION-}" ]; then COMPREPLY+=("$glued$one"); else COMPREPLY+=("$one"); fi ;;
          esac
        done
      }

      _atoll_names() { "${COMP_WORDS[0]}" "$@" 2>/dev/null; }

      if [ -n "${ZSH_VERSION-}" ]; then
        type compdef >/dev/null 2>&1 || { autoload -Uz compinit && compinit; }
        autoload -Uz bashcompinit && bashcompinit
      fi
      complete -o default -F _complete_atoll atoll
      """;

  private final StringBuilder table = new StringBuilder();

  String script(CommandLine whole) {
    table.append("# Completion of atoll for bash and zsh.\n");
    table.append("_atoll_command() {\n  subcommands= options= values=' ' places=\n  case $1 in\n");
    describe("", whole);
    return table.append("  esac\n}\n\n").append(WALK).toString();
  }

  private void describe(String path, CommandLine command) {
    CommandSpec spec = command.getCommandSpec();
    Set<String> options = new LinkedHashSet<>();
    List<String> values = new ArrayList<>();
    for (OptionSpec option : spec.options()) {
      options.addAll(List.of(option.names()));
      if (option.arity().min() > 0) {
        String kind = kind(CompletionValues.of(option));
        List.of(option.names()).forEach(name -> values.add(name + "=" + kind));
      }
    }
    table
        .append("    '%s')\n".formatted(path))
        .append("      subcommands='%s'\n".formatted(String.join(" ", names(command))))
        .append("      options='%s'\n".formatted(String.join(" ", options)))
        .append("      values=' %s '\n".formatted(String.join(" ", values)))
        .append("      places='%s'\n      ;;\n".formatted(places(spec)));
    command.getSubcommands().forEach((name, sub) -> describe(path + " " + name, sub));
  }

  private static Set<String> names(CommandLine command) {
    return command.getSubcommands().keySet();
  }

  private static String places(CommandSpec spec) {
    return spec.positionalParameters().stream()
        .map(parameter -> kind(CompletionValues.of(parameter)))
        .collect(Collectors.joining(" "));
  }

  private static String kind(CompletionValues values) {
    return switch (values) {
      case CompletionValues.Names names when names.equals(CompletionValues.SANDBOXES) ->
          "sandboxes";
      case CompletionValues.Names names when names.equals(CompletionValues.SNAPSHOTS) ->
          "snapshots";
      case CompletionValues.Names _ -> "templates";
      case CompletionValues.Words words -> String.join(",", words.words());
      case CompletionValues.Files _ -> "files";
      case CompletionValues.Places _ -> "places";
      case CompletionValues.Anything _ -> "any";
    };
  }
}
