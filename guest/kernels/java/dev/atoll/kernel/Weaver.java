package dev.atoll.kernel;

import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.Label;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LabelTarget;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.HashSet;
import java.util.Set;
import jdk.jshell.spi.ExecutionControl.ClassBytecodes;

/**
 * Changes the code of cells so that it can be stopped and does not end the process.
 *
 * <p>JShell's own way to the former knows only classes of the JDK, and fails where two of a user's
 * or of a library's meet.
 */
final class Weaver {
  private static final MethodTypeDesc STATUS =
      MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_int);
  private static final ClassDesc KERNEL = ClassDesc.of(KernelControl.class.getName());

  /** The class that JShell makes before the first code runs, with what throws if all shall stop. */
  private static final ClassDesc CANCEL = ClassDesc.of("REPL.$Cancel$");

  private final Ancestors ancestors = new Ancestors();

  /** Takes in what classes may descend from. */
  void learn(String classPath) {
    ancestors.learn(classPath);
  }

  ClassBytecodes[] woven(ClassBytecodes[] classes) {
    ancestors.learn(classes);
    ClassFile file = ClassFile.of(ClassFile.ClassHierarchyResolverOption.of(ancestors));
    ClassTransform changes =
        ClassTransform.transformingMethodBodies(CodeTransform.ofStateful(Changes::new));
    ClassBytecodes[] woven = new ClassBytecodes[classes.length];
    for (int i = 0; i < classes.length; i++) {
      byte[] changed = file.transformClass(file.parse(classes[i].bytecodes()), changes);
      woven[i] = new ClassBytecodes(classes[i].name(), changed);
    }
    return woven;
  }

  /** Of one method: a look at its start and before each jump back. */
  private static final class Changes implements CodeTransform {
    private final Set<Label> passed = new HashSet<>();

    @Override
    public void atStart(CodeBuilder builder) {
      look(builder);
    }

    @Override
    public void accept(CodeBuilder builder, CodeElement element) {
      if (element instanceof InvokeInstruction call && isExit(call)) {
        builder.invokestatic(KERNEL, "exit", STATUS);
        return;
      }
      if (element instanceof LabelTarget target) {
        passed.add(target.label());
      } else if (element instanceof BranchInstruction jump && passed.contains(jump.target())) {
        look(builder);
      }
      builder.with(element);
    }

    private static boolean isExit(InvokeInstruction call) {
      return call.owner().name().equalsString("java/lang/System")
          && call.name().equalsString("exit");
    }

    private static void look(CodeBuilder builder) {
      builder.invokestatic(CANCEL, "stopCheck", ConstantDescs.MTD_void);
    }
  }
}
