package org.posthouse.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.core.spi.ContextAwareBase;
import ch.qos.logback.core.util.OptionHelper;
import org.posthouse.cli.terminal.LogOutput;
import org.slf4j.Logger;

/**
 * The logging of commands: to standard error, since standard output belongs to the job. Logback finds it as a service;
 * a file would cost each command the reading of XML. A user's own file ({@code -Dlogback.configurationFile}) takes
 * precedence.
 */
public final class Logging extends ContextAwareBase implements Configurator {
    @Override
    public ExecutionStatus configure(LoggerContext context) {
        if (System.getProperty("logback.configurationFile") != null) {
            return ExecutionStatus.INVOKE_NEXT_IF_ANY;
        }
        LogOutput.install(context);
        level(context, Logger.ROOT_LOGGER_NAME, "WARN");
        level(context, "org.posthouse", property("posthouse.log", "WARN"));
        // Members that leave are reported by the directory; Chronicle tells of files that it makes.
        level(context, "com.hazelcast", property("posthouse.log.libraries", "ERROR"));
        // Judges that are not reached, and elections, are reported by the judge.
        level(context, "org.apache.ratis", property("posthouse.log.libraries", "ERROR"));
        // Vert.x asks for each of its gauges again at every use. They are right; this logger tells of nothing else.
        level(context, "io.micrometer.core.instrument.MeterRegistry", "ERROR");
        // Where there is the loopback alone, Netty draws the number that it would have from a network card. Nobody needs either.
        level(context, "io.netty.util.internal.MacAddressUtil", "ERROR");
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }

    private static void level(LoggerContext context, String logger, String level) {
        context.getLogger(logger).setLevel(Level.toLevel(level));
    }

    private static String property(String name, String otherwise) {
        String value = OptionHelper.getSystemProperty(name);
        return value == null ? otherwise : value;
    }
}
