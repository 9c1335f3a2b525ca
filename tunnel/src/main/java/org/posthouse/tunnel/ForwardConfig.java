package org.posthouse.tunnel;

import io.vertx.core.net.HostAndPort;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.posthouse.keys.SiteName;

/**
 * What a relay lets other relays reach through it, and what it reaches through them. Immutable; its constructor reports all problems
 * together.
 *
 * @param streams how much it takes in at once
 * @param doors by name, where a stream to that door goes: host:port
 * @param vias where this relay listens for whom
 * @param loopback a service that all relays have on loopback and reach here, if there is one
 */
public record ForwardConfig(
        StreamConfig streams, Map<String, String> doors, List<Via> vias, Optional<LoopbackConfig> loopback) {
    /** No doors, no listeners. */
    public static final ForwardConfig NONE = new ForwardConfig(StreamConfig.DEFAULT, Map.of(), List.of(), Optional.empty());

    private static final int DOORS_MAX = 256;

    /**
     * A port here that leads to a door there.
     *
     * @param relay the other relay's id
     * @param door the door's name
     * @param listen host:port; port 0 lets the system choose
     * @param users whose connections it takes
     */
    public record Via(String relay, String door, String listen, Users users) {
        /** Of the relay's own user alone. */
        public Via(String relay, String door, String listen) {
            this(relay, door, listen, Users.OWN);
        }

        /** The two as they are written on the command line. */
        public String target() {
            return relay + "/" + door;
        }
    }

    /** Whose connections a port takes. Root counts as the relay's own user. */
    public enum Users {
        /** Of the relay's own user, if the system says so. */
        OWN,

        /** Of nobody that the system knows as another user: what is behind the door asks for a proof itself. */
        NOT_OTHERS,

        /** Of all that reach it. */
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

    /** The same with other limits. */
    public ForwardConfig streams(StreamConfig other) {
        return new ForwardConfig(other, doors, vias, loopback);
    }

    /** The same with a door more. */
    public ForwardConfig door(String name, String target) {
        Map<String, String> more = new LinkedHashMap<>(doors);
        more.put(name, target);
        return new ForwardConfig(streams, more, vias, loopback);
    }

    /** The same with a port more. */
    public ForwardConfig via(String relay, String door, String listen) {
        List<Via> more = new ArrayList<>(vias);
        more.add(new Via(relay, door, listen));
        return new ForwardConfig(streams, doors, more, loopback);
    }

    /** The same with a service that {@code relay}, this one, has as all others do: its door leads to its own address. */
    public ForwardConfig loopback(String relay, LoopbackConfig service) {
        return door(service.door(), service.endpointOf(relay)).withLoopback(service);
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

    /** An address of this configuration without the brackets of an IPv6 address. */
    static HostAndPort parse(String address) {
        HostAndPort parsed = HostAndPort.parseAuthority(address, -1);
        String host = parsed.host();
        boolean bracketed = host.startsWith("[");
        return bracketed ? HostAndPort.create(host.substring(1, host.length() - 1), parsed.port()) : parsed;
    }
}
