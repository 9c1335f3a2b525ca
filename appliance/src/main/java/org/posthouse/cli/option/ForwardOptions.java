package org.posthouse.cli.option;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.posthouse.keys.RelayId;
import org.posthouse.tunnel.forward.ForwardConfig;
import org.posthouse.tunnel.stream.StreamConfig;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The doors that a relay offers to others, and the doors of others that it uses. */
public final class ForwardOptions {
    @Option(
            names = "--forward",
            paramLabel = "NAME=HOST:PORT",
            parameterConsumer = EachOnce.class,
            description = "Offers a door: relays that are linked with this one reach HOST:PORT through it by NAME; may be repeated.")
    private Map<String, String> doors = new LinkedHashMap<>();

    @Option(
            names = "--via",
            paramLabel = "RELAY/NAME=HOST:PORT",
            parameterConsumer = EachOnce.class,
            description = "Listens at HOST:PORT, a loopback address, for connections to door NAME of another relay; may be repeated.")
    private Map<String, String> vias = new LinkedHashMap<>();

    @Option(
            names = "--unsafe-open-via",
            description = "Let --via listen beyond loopback, and take connections of all users of this host: whoever reaches the port reaches what is"
                    + " behind the door, as the other relay's own user.")
    private boolean unsafeOpenVia;

    @Option(
            names = "--stream-buffers",
            paramLabel = "N",
            defaultValue = "1024",
            description = "Pieces of 64 KiB that may wait here at once, of all streams (default: ${DEFAULT-VALUE}).")
    private int buffers;

    @Option(
            names = "--streams",
            paramLabel = "P",
            defaultValue = "64",
            description = "Streams that may be open at once (default: ${DEFAULT-VALUE}).")
    private int streams;

    @Option(
            names = "--stream-tokens",
            paramLabel = "L",
            defaultValue = "8",
            description = "Pieces that each of them may always have under way; N must be at least P x L (default: ${DEFAULT-VALUE}).")
    private int tokens;

    /** Whether there is any port to forward. */
    public boolean given() {
        return !doors.isEmpty() || !vias.isEmpty();
    }

    /** Whether {@code door} is among the names that other relays may ask for. */
    public boolean offers(String door) {
        return doors.containsKey(door);
    }

    /** Adds what is wrong to {@code problems}; then the result is of no use. */
    public ForwardConfig config(Problems problems) {
        List<ForwardConfig.Via> listeners = new ArrayList<>();
        vias.forEach((target, address) -> via(target, address, listeners, problems));
        try {
            return new ForwardConfig(new StreamConfig(buffers, streams, tokens), doors, listeners, Optional.empty());
        } catch (IllegalArgumentException e) {
            problems.add(e.getMessage());
            return ForwardConfig.NONE;
        }
    }

    private void via(String target, String address, List<ForwardConfig.Via> listeners, Problems problems) {
        int slash = target.lastIndexOf('/');
        if (slash < 0) {
            problems.add("--via " + target + "=" + address + ", expected RELAY/NAME=HOST:PORT");
            return;
        }
        try {
            HostPort listen = new HostPort.Converter().convert(address);
            if (!listen.isLoopback() && !unsafeOpenVia) {
                problems.add("--via " + target + "=" + listen + " can be reached from outside: add --unsafe-open-via if you mean it");
            }
            ForwardConfig.Users users = unsafeOpenVia ? ForwardConfig.Users.ANY : ForwardConfig.Users.OWN;
            listeners.add(new ForwardConfig.Via(relay(target.substring(0, slash)), target.substring(slash + 1), listen.toString(), users));
        } catch (TypeConversionException e) {
            problems.add("--via " + target + ": " + e.getMessage());
        }
    }

    /** As it is written everywhere else; what is no relay stays as it is, to be refused by name. */
    private static String relay(String text) {
        try {
            return RelayId.parse(text).toString();
        } catch (IllegalArgumentException e) {
            return text;
        }
    }
}
