package org.posthouse.tunnel.forward;

import io.vertx.core.net.HostAndPort;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.posthouse.keys.RelayId;
import org.posthouse.keys.SiteName;
import org.posthouse.tunnel.stream.StreamConfig;

/**
 * The addresses that other relays reach through this relay, and those that it reaches through them. Immutable; its
 * constructor reports all problems together.
 *
 * @param streams the limits on buffered data
 * @param doors by name, the target of streams to that door: host:port
 * @param vias the local ports that lead to doors of other relays
 * @param loopback a service that all relays have on loopback and reach here, if there is one
 */
public record ForwardConfig(
        StreamConfig streams, Map<String, String> doors, List<Via> vias, Optional<LoopbackConfig> loopback) {
    /** No doors, no listeners. */
    public static final ForwardConfig NONE = new ForwardConfig(StreamConfig.DEFAULT, Map.of(), List.of(), Optional.empty());

    private static final int DOORS_MAX = 256;

    /**
     * A local port that leads to a door of another relay.
     *
     * @param relay the other relay's id
     * @param door the door's name
     * @param listen host:port; port 0 lets the system choose
     * @param users whose connections it accepts
     */
    public record Via(String relay, String door, String listen, Users users) {
        /** Creates a port for the relay's own user alone. */
        public Via(String relay, String door, String listen) {
            this(relay, door, listen, Users.OWN);
        }

        /** Relay and door as they are written on the command line. */
        public String target() {
            return relay + "/" + door;
        }
    }

    /** The users whose connections a port accepts. Root counts as the relay's own user. */
    public enum Users {
        /** The relay's own user, if the system can identify the user. */
        OWN,

        /**
         * All except those that the system identifies as another user. The service behind the door demands its own
         * proof.
         */
        NOT_OTHERS,

        /** All who can connect. */
        ANY
    }

    public ForwardConfig {
        doors = Map.copyOf(doors);
        vias = List.copyOf(vias);
        List<String> problems = new ArrayList<>();
        doors.forEach((name, target) -> {
            checkName(problems, name);
            checkAddress(problems, "door " + name, target, 1);
        });
        for (Via via : vias) {
            checkName(problems, via.door());
            checkAddress(problems, via.target(), via.listen(), 0);
            if (!RelayId.isWritten(via.relay())) {
                problems.add("relay \"" + via.relay() + "\" of " + via.target() + ", expected SITE or SITE/NAME");
            }
        }
        if (doors.size() > DOORS_MAX || vias.size() > DOORS_MAX) {
            problems.add(doors.size() + " doors and " + vias.size() + " ports to doors, expected at most " + DOORS_MAX + " of each");
        }
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", problems));
        }
    }

    /** A copy with other limits. */
    public ForwardConfig streams(StreamConfig other) {
        return new ForwardConfig(other, doors, vias, loopback);
    }

    /** A copy with an additional door. */
    public ForwardConfig door(String name, String target) {
        Map<String, String> more = new LinkedHashMap<>(doors);
        more.put(name, target);
        return new ForwardConfig(streams, more, vias, loopback);
    }

    /** A copy with an additional port. */
    public ForwardConfig via(String relay, String door, String listen) {
        List<Via> more = new ArrayList<>(vias);
        more.add(new Via(relay, door, listen));
        return new ForwardConfig(streams, doors, more, loopback);
    }

    /**
     * A copy with a service that every relay has, including {@code relay}, which is this one. Its door leads to the
     * service's own address.
     */
    public ForwardConfig loopback(String relay, LoopbackConfig service) {
        return door(service.door(), service.endpointOf(relay)).withLoopback(service);
    }

    /**
     * A copy with a service that {@code relay} has at an address on loopback, the same at every relay. A relay of this
     * host may have it there itself, so the port need not be free.
     */
    public ForwardConfig serviceOf(String relay, String door, String endpoint) {
        List<Via> more = new ArrayList<>(vias);
        more.add(new Via(relay, door, endpoint, Users.NOT_OTHERS));
        return new ForwardConfig(streams, doors, more, loopback);
    }

    private ForwardConfig withLoopback(LoopbackConfig service) {
        return new ForwardConfig(streams, doors, vias, Optional.of(service));
    }

    private static void checkName(List<String> problems, String name) {
        if (!SiteName.isValid(name)) {
            problems.add("door \"" + name + "\", expected 1 to 63 of a-z, 0-9 and hyphen");
        }
    }

    private static void checkAddress(List<String> problems, String what, String address, int portMin) {
        HostAndPort parsed = HostAndPort.parseAuthority(address, -1);
        if (parsed == null || parsed.port() < portMin) {
            problems.add("address \"" + address + "\" of " + what + ", expected host:port");
        }
    }

    /** An address of this configuration; an IPv6 address has no brackets. */
    public static HostAndPort parse(String address) {
        HostAndPort parsed = HostAndPort.parseAuthority(address, -1);
        String host = parsed.host();
        boolean bracketed = host.startsWith("[");
        return bracketed ? HostAndPort.create(host.substring(1, host.length() - 1), parsed.port()) : parsed;
    }
}
