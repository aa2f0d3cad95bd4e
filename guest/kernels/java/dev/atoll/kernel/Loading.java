package dev.atoll.kernel;

import jdk.jshell.execution.DirectExecutionControl;
import jdk.jshell.execution.LoaderDelegate;
import jdk.jshell.spi.ExecutionControl;

/** JShell's usual loader of classes, which it gives to nobody. */
final class Loading extends DirectExecutionControl implements LoaderDelegate {
  @Override
  public void classesRedefined(ExecutionControl.ClassBytecodes[] classes) {
    // Nothing is redefined by it.
  }

  @Override
  public Class<?> findClass(String name) throws ClassNotFoundException {
    return super.findClass(name);
  }
}
