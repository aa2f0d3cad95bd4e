package dev.atoll.kernel;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;

/**
 * The variables of the process, which Java takes for constant. The JDK's own copy is changed, which
 * {@code System.getenv} shows and child processes get.
 */
final class Environment {
  private final Map<Object, Object> variables;
  private final Method variable;
  private final Method value;
  private Map<String, String> thaw = Map.of();
  private Map<String, String> context = Map.of();
  private final Map<String, String> hidden = new HashMap<>();

  @SuppressWarnings("unchecked")
  Environment() throws ReflectiveOperationException {
    Class<?> environment = Class.forName("java.lang.ProcessEnvironment");
    Field map = environment.getDeclaredField("theEnvironment");
    map.setAccessible(true);
    variables = (Map<Object, Object>) map.get(null);
    variable = valueOf("java.lang.ProcessEnvironment$Variable");
    value = valueOf("java.lang.ProcessEnvironment$Value");
  }

  private static Method valueOf(String type) throws ReflectiveOperationException {
    Method method = Class.forName(type).getMethod("valueOf", String.class);
    method.setAccessible(true);
    return method;
  }

  void open(Map<String, String> thawVariables, Map<String, String> contextVariables) {
    context = contextVariables;
    thaw(thawVariables);
    context.forEach(this::set);
  }

  void thaw(Map<String, String> newVariables) {
    thaw.keySet().stream().filter(name -> !context.containsKey(name)).forEach(this::unset);
    thaw = newVariables;
    thaw.forEach(
        (name, text) -> {
          if (!context.containsKey(name)) {
            set(name, text);
          }
        });
  }

  /** Sets variables of one execution. */
  void lend(Map<String, String> lent) {
    lent.forEach(
        (name, text) -> {
          hidden.put(name, System.getenv(name));
          set(name, text);
        });
  }

  /** Gives back what they hid. */
  void takeBack() {
    hidden.forEach(
        (name, text) -> {
          if (text == null) {
            unset(name);
          } else {
            set(name, text);
          }
        });
    hidden.clear();
  }

  private void set(String name, String text) {
    try {
      variables.put(variable.invoke(null, name), value.invoke(null, text));
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  private void unset(String name) {
    try {
      variables.remove(variable.invoke(null, name));
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }
}
