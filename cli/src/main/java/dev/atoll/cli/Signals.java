package dev.atoll.cli;

import java.lang.reflect.Proxy;

/**
 * Signals to this process. The JDK hears them through {@code sun.misc.Signal} alone, which javac
 * compiles against only with a warning that cannot be silenced; hence by reflection.
 */
final class Signals {
  private Signals() {}

  /** Calls the action on a thread of its own at each such signal; where there is none, never. */
  static void handle(String name, Runnable action) {
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      Object proxy =
          Proxy.newProxyInstance(
              handler.getClassLoader(),
              new Class<?>[] {handler},
              (self, method, arguments) -> {
                if (method.getName().equals("handle")) {
                  action.run();
                }
                return null;
              });
      Object number = signal.getConstructor(String.class).newInstance(name);
      signal.getMethod("handle", signal, handler).invoke(null, number, proxy);
    } catch (ReflectiveOperationException e) {
      // This system has no such signal.
    }
  }
}
