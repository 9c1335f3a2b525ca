package org.posthouse.cli.option;

import java.util.regex.Pattern;
import org.posthouse.wire.HomeRelay;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * An address on the command line.
 *
 * @param host name or address; an IPv6 address without its brackets
 * @param port 0 to 65535
 */
public record HostPort(String host, int port) {
    private static final int PORT_MAX = 65_535;
    private static final Pattern HOST = Pattern.compile("[^\\s/\\[\\]]+");

    @Override
    public String toString() {
        return HomeRelay.address(host, port);
    }

    /** Whether the host is this one, by its loopback address or name. */
    public boolean isLoopback() {
        return host.matches("127(\\.[0-9]{1,3}){3}") || host.equals("localhost") || host.equals("::1");
    }

    /** Reads host:port or [host]:port. */
    public static final class Converter implements ITypeConverter<HostPort> {
        @Override
        public HostPort convert(String text) {
            int colon = text.lastIndexOf(':');
            String host = colon < 0 ? "" : text.substring(0, colon);
            if (host.startsWith("[") && host.endsWith("]")) {
                host = host.substring(1, host.length() - 1);
            }
            try {
                int port = Integer.parseInt(text.substring(colon + 1));
                if (HOST.matcher(host).matches() && port >= 0 && port <= PORT_MAX) {
                    return new HostPort(host, port);
                }
            } catch (NumberFormatException e) {
                throw new TypeConversionException("\"" + text + "\" has no port number, expected HOST:PORT");
            }
            throw new TypeConversionException("\"" + text + "\" is no address, expected HOST:PORT with a port from 0 to 65535");
        }
    }
}
