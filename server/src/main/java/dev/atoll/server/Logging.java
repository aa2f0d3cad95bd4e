package dev.atoll.server;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.rolling.FixedWindowRollingPolicy;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy;
import ch.qos.logback.core.util.FileSize;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs to {@code logs/server.log}, of which at most 60 MiB are kept, and to stderr unless somebody
 * else keeps that.
 */
final class Logging {
  private static final long FILE_MIB = 10;
  private static final int OLD_FILES = 5;

  private Logging() {}

  static void start(ServerConfig.LogConfig config, Path dataDirectory) {
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    context.reset();
    ch.qos.logback.classic.Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
    root.setLevel(Level.toLevel(config.level()));
    if (config.stderr()) {
      root.addAppender(console(context));
    }
    root.addAppender(file(context, dataDirectory.resolve("logs").resolve("server.log")));
    // Jetty's debug output would hold headers, and with them keys.
    context.getLogger("org.eclipse.jetty").setLevel(Level.WARN);
    context.getLogger("org.flywaydb").setLevel(Level.WARN);
    context.getLogger("com.zaxxer.hikari").setLevel(Level.WARN);
  }

  private static ConsoleAppender<ILoggingEvent> console(LoggerContext context) {
    ConsoleAppender<ILoggingEvent> console = new ConsoleAppender<>();
    console.setTarget("System.err");
    return started(console, context);
  }

  private static RollingFileAppender<ILoggingEvent> file(LoggerContext context, Path path) {
    RollingFileAppender<ILoggingEvent> file = new RollingFileAppender<>();
    file.setFile(path.toString());
    FixedWindowRollingPolicy rolling = new FixedWindowRollingPolicy();
    rolling.setContext(context);
    rolling.setParent(file);
    rolling.setFileNamePattern(path + ".%i");
    rolling.setMinIndex(1);
    rolling.setMaxIndex(OLD_FILES);
    rolling.start();
    SizeBasedTriggeringPolicy<ILoggingEvent> trigger = new SizeBasedTriggeringPolicy<>();
    trigger.setContext(context);
    trigger.setMaxFileSize(new FileSize(FILE_MIB << 20));
    trigger.start();
    file.setRollingPolicy(rolling);
    file.setTriggeringPolicy(trigger);
    return started(file, context);
  }

  private static <A extends OutputStreamAppender<ILoggingEvent>> A started(
      A appender, LoggerContext context) {
    LogLayout layout = new LogLayout();
    layout.setContext(context);
    layout.start();
    LayoutWrappingEncoder<ILoggingEvent> encoder = new LayoutWrappingEncoder<>();
    encoder.setContext(context);
    encoder.setCharset(StandardCharsets.UTF_8);
    encoder.setLayout(layout);
    encoder.start();
    appender.setContext(context);
    appender.setEncoder(encoder);
    appender.start();
    return appender;
  }
}
