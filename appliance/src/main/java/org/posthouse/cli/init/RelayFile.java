package org.posthouse.cli.init;

import com.fasterxml.jackson.databind.node.TextNode;
import java.util.List;

/** The configuration of a relay as {@code posthouse relay --config} reads it. Stateless. */
final class RelayFile {
    private RelayFile() {}

    /**
     * Returns the file's text.
     *
     * @param arguments of the relay: options, each with the value that follows it, if one does
     */
    static String text(String site, List<String> arguments) {
        StringBuilder text =
                new StringBuilder("# The relay of " + site + ", with the options of posthouse relay (posthouse relay --help). Variables (POSTHOUSE_RELAY_...)\n"
                        + "# and options on the command line go before; posthouse relay --config relay.yaml --print-config shows what holds.\nrelay:\n");
        for (int at = 0; at < arguments.size(); at++) {
            String option = arguments.get(at).substring("--".length());
            boolean isValued = at + 1 < arguments.size() && !arguments.get(at + 1).startsWith("--");
            at += isValued ? 1 : 0;
            text.append("  ").append(option).append(": ").append(isValued ? quoted(arguments.get(at)) : "true").append('\n');
        }
        return text.toString();
    }

    /** A JSON string is a YAML string. */
    private static String quoted(String value) {
        return TextNode.valueOf(value).toString();
    }
}
