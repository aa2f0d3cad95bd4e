package dev.atoll.kernel;

import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.Map;
import jdk.jshell.execution.LocalExecutionControl;
import jdk.jshell.spi.ExecutionControl;
import jdk.jshell.spi.ExecutionControlProvider;
import jdk.jshell.spi.ExecutionEnv;

/** Runs snippets in this process, and lets none of them end it by {@code System.exit}. */
public final class KernelControl extends LocalExecutionControl {
  private static final MethodTypeDesc STATUS =
      MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_int);
  private static final ClassDesc SELF = ClassDesc.of(KernelControl.class.getName());
  private static volatile Exit exit;

  static final class Provider implements ExecutionControlProvider {
    @Override
    public String name() {
      return "atoll";
    }

    @Override
    public ExecutionControl generate(ExecutionEnv environment, Map<String, String> parameters) {
      return new KernelControl();
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
    ClassBytecodes[] changed = new ClassBytecodes[classes.length];
    for (int i = 0; i < classes.length; i++) {
      changed[i] = new ClassBytecodes(classes[i].name(), withoutExit(classes[i].bytecodes()));
    }
    super.load(changed);
  }

  private static byte[] withoutExit(byte[] bytes) {
    CodeTransform calls =
        (builder, element) -> {
          if (element instanceof InvokeInstruction call
              && call.owner().name().equalsString("java/lang/System")
              && call.name().equalsString("exit")) {
            builder.invokestatic(SELF, "exit", STATUS);
          } else {
            builder.with(element);
          }
        };
    ClassFile file = ClassFile.of();
    return file.transformClass(file.parse(bytes), ClassTransform.transformingMethodBodies(calls));
  }
}
