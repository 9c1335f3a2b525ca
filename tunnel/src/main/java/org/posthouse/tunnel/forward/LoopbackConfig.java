package org.posthouse.tunnel.forward;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.posthouse.keys.RelayId;
import org.posthouse.keys.SiteName;

/**
 * A service that every relay has on one port of its {@link LoopbackAddress}, and how others reach it there. Immutable;
 * its constructor reports all problems together.
 *
 * @param door the door's name, the same at all relays
 * @param port of the service, the same at all relays
 * @param addresses relay id to loopback address, for relays whose address is not derived from their id
 */
public record LoopbackConfig(String door, int port, Map<String, String> addresses) {
    public LoopbackConfig {
        addresses = Map.copyOf(addresses);
        List<String> problems = new ArrayList<>();
        if (!SiteName.isValid(door)) {
            problems.add("door \"" + door + "\", expected 1 to 63 of a-z, 0-9 and hyphen");
        }
        if (port < 1 || port > 65_535) {
            problems.add("port " + port + ", expected 1 to 65535");
        }
        Map<String, String> owners = new HashMap<>();
        addresses.forEach((relay, address) -> {
            if (!RelayId.isWritten(relay)) {
                problems.add("relay \"" + relay + "\", expected SITE or SITE/NAME");
            }
            if (!LoopbackAddress.isWritten(address)) {
                problems.add("address \"" + address + "\" of relay " + relay + ", expected one in 127.0.0.0/8");
            }
            String other = owners.put(address, relay);
            if (other != null) {
                problems.add("relays " + other + " and " + relay + " have the same address " + address);
            }
        });
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", problems));
        }
    }

    /** The loopback address of the service of {@code relay}, the same at every relay. */
    public String addressOf(String relay) {
        return addresses.getOrDefault(relay, LoopbackAddress.of(relay));
    }

    /** The same as host:port. */
    public String endpointOf(String relay) {
        return addressOf(relay) + ":" + port;
    }
}
