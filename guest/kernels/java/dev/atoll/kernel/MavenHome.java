package dev.atoll.kernel;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The Maven of this system, whose libraries know how to find others. */
record MavenHome(Path folder) {
  private static final String RESOLVER = "dev.atoll.kernel.maven.MavenDependencies";

  /** That of the first {@code mvn} on the path. */
  static MavenHome find() throws DependencyException {
    String path = String.valueOf(System.getenv("PATH"));
    for (String folder : path.split(":")) {
      Path program = Path.of(folder, "mvn");
      if (Files.isExecutable(program)) {
        try {
          Path home = program.toRealPath().getParent().getParent();
          if (Files.isDirectory(home.resolve("lib"))) {
            return new MavenHome(home);
          }
        } catch (IOException e) {
          // The next one.
        }
      }
    }
    throw new DependencyException(
        "command_not_found",
        "//DEPS needs Maven, and there is no mvn on the path of this sandbox;"
            + " the templates java and code-interpreter have it");
  }

  /** Its libraries in a loader of their own, so that code never sees them. Closed by whoever opened it. */
  Opened open() throws DependencyException {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    try {
      List<URL> places = new ArrayList<>();
      Path own = Path.of(MavenHome.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      places.add(own.resolveSibling("resolver.jar").toUri().toURL());
      try (Stream<Path> files = Files.list(folder.resolve("lib"))) {
        for (Path jar : files.filter(file -> file.toString().endsWith(".jar")).sorted().toList()) {
          places.add(jar.toUri().toURL());
        }
      }
      URLClassLoader loader =
          new URLClassLoader(places.toArray(URL[]::new), MavenHome.class.getClassLoader());
      // Its logger is configured by what the thread's loader has.
      thread.setContextClassLoader(loader);
      Class<?> resolver = loader.loadClass(RESOLVER);
      return new Opened(
          (Dependencies) resolver.getConstructor(Path.class).newInstance(folder), loader);
    } catch (InvocationTargetException e) {
      throw unusable(e.getCause());
    } catch (ReflectiveOperationException | LinkageError | IOException | URISyntaxException e) {
      throw unusable(e);
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  private DependencyException unusable(Throwable why) {
    return new DependencyException(
        "package_failed",
        "the Maven in %s cannot be used (%s); one of version 3.9 can".formatted(folder, why));
  }

  /** A resolver and what it was loaded by. */
  record Opened(Dependencies dependencies, URLClassLoader loader) implements AutoCloseable {
    @Override
    public void close() {
      try {
        loader.close();
      } catch (IOException e) {
        // What it read, it has read.
      }
    }
  }
}
