package dev.atoll.cli;

import java.util.Map;
import java.util.Stack;
import picocli.CommandLine.IParameterPreprocessor;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Takes an option's value only from {@code --option=VALUE}, so that a name may follow it. */
final class AttachedValue implements IParameterPreprocessor {
  @Override
  @SuppressWarnings("JdkObsolete") // picocli's interface has a Stack.
  public boolean preprocess(
      Stack<String> arguments,
      CommandSpec command,
      ArgSpec argument,
      Map<String, Object> information) {
    boolean attached = !" ".equals(information.get("separator"));
    if (!attached && argument instanceof OptionSpec option) {
      arguments.push(option.fallbackValue());
    }
    return false;
  }
}
