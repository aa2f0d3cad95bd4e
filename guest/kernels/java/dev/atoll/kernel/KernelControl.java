package dev.atoll.kernel;

import java.lang.reflect.Method;
import java.util.Map;
import jdk.jshell.execution.LocalExecutionControl;
import jdk.jshell.spi.ExecutionControl;
import jdk.jshell.spi.ExecutionControlProvider;
import jdk.jshell.spi.ExecutionEnv;

/** Runs snippets in this process, and lets none of them end it by {@code System.exit}. */
public final class KernelControl extends LocalExecutionControl {
  private static volatile Exit exit;

  private final Loading loading;
  private final Weaver weaver = new Weaver();

  private KernelControl(Loading loading) {
    super(loading);
    this.loading = loading;
  }

  static final class Provider implements ExecutionControlProvider {
    @Override
    public String name() {
      return "atoll";
    }

    @Override
    public ExecutionControl generate(ExecutionEnv environment, Map<String, String> parameters) {
      return new KernelControl(new Loading());
    }
  }

  /** Thrown in place of an exit. */
  static final class Exit extends Error {
    private static final long serialVersionUID = 1;

    private final int status;

    Exit(int status) {
      super("exit " + status, null, false, false);
      this.status = status;
    }

    int status() {
      return status;
    }
  }

  /** What the code of cells calls for {@code System.exit}. */
  public static void exit(int status) {
    exit = new Exit(status);
    throw exit;
  }

  /** The exit that was asked for since the last call, if any. */
  static Exit takeExit() {
    Exit asked = exit;
    exit = null;
    return asked;
  }

  @Override
  public void load(ClassBytecodes[] classes)
      throws ClassInstallException, NotImplementedException, EngineTerminationException {
    loading.load(weaver.woven(classes));
  }

  @Override
  public void addToClasspath(String classPath)
      throws EngineTerminationException, InternalException {
    weaver.learn(classPath);
    super.addToClasspath(classPath);
  }

  /** Many libraries look for others of theirs where the thread says. */
  @Override
  protected String invoke(Method method) throws Exception {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(method.getDeclaringClass().getClassLoader());
    try {
      return super.invoke(method);
    } finally {
      thread.setContextClassLoader(before);
    }
  }
}
