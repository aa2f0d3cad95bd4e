package dev.atoll.kernel;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.constant.ClassDesc;
import java.lang.reflect.AccessFlag;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import jdk.jshell.spi.ExecutionControl.ClassBytecodes;

/**
 * What classes of cells and of libraries descend from, which whoever changes code has to know. No
 * class is loaded for that.
 */
final class Ancestors implements ClassHierarchyResolver {
  private final Map<ClassDesc, ClassHierarchyInfo> cells = new HashMap<>();
  private final List<URL> places = new ArrayList<>();
  private URLClassLoader libraries = new URLClassLoader(new URL[0], null);
  private ClassHierarchyResolver others = ClassHierarchyResolver.defaultResolver();

  /** Takes in classes of cells. */
  void learn(ClassBytecodes[] classes) {
    for (ClassBytecodes one : classes) {
      ClassModel model = ClassFile.of().parse(one.bytecodes());
      cells.put(
          model.thisClass().asSymbol(),
          model.flags().has(AccessFlag.INTERFACE)
              ? ClassHierarchyInfo.ofInterface()
              : ClassHierarchyInfo.ofClass(model.superclass().orElseThrow().asSymbol()));
    }
  }

  /** Takes in what a class path names. */
  void learn(String classPath) {
    try {
      for (String place : classPath.split(":")) {
        places.add(Path.of(place).toUri().toURL());
      }
    } catch (MalformedURLException e) {
      throw new IllegalArgumentException(classPath, e);
    }
    close();
    libraries = new URLClassLoader(places.toArray(URL[]::new), null);
    others =
        ClassHierarchyResolver.defaultResolver()
            .orElse(ClassHierarchyResolver.ofResourceParsing(libraries))
            .cached();
  }

  private void close() {
    try {
      libraries.close();
    } catch (IOException e) {
      // What it read, it has read.
    }
  }

  @Override
  public ClassHierarchyInfo getClassInfo(ClassDesc type) {
    ClassHierarchyInfo known = cells.get(type);
    return known == null ? others.getClassInfo(type) : known;
  }
}
