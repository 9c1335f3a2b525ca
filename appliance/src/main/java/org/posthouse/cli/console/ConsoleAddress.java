package org.posthouse.cli.console;

import org.posthouse.cli.option.HostPort;
import picocli.CommandLine.ITypeConverter;

/**
 * Where a running relay's console is.
 *
 * @param tls whether it is asked over TLS
 */
public record ConsoleAddress(HostPort at, boolean tls) {
    private static final String HTTPS = "https://";
    private static final String HTTP = "http://";

    @Override
    public String toString() {
        return tls ? HTTPS + at : at.toString();
    }

    /** Reads https://HOST:PORT, http://HOST:PORT or HOST:PORT. */
    public static final class Converter implements ITypeConverter<ConsoleAddress> {
        @Override
        public ConsoleAddress convert(String text) {
            boolean tls = text.startsWith(HTTPS);
            String rest = tls ? text.substring(HTTPS.length()) : text.startsWith(HTTP) ? text.substring(HTTP.length()) : text;
            return new ConsoleAddress(new HostPort.Converter().convert(rest.endsWith("/") ? rest.substring(0, rest.length() - 1) : rest), tls);
        }
    }
}
