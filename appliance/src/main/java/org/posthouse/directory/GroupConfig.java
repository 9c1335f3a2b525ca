package org.posthouse.directory;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.posthouse.keys.SiteProof;

/**
 * The address of this relay's group member, and those of the members it looks for.
 *
 * <p>Only numeric addresses in 127.0.0.0/8 are accepted. A process that reaches a member's port can harm it, so members
 * meet only through forwarded ports of the tunnel. Each relay has its own address, the same at every site.
 *
 * @param cluster the group's name, the same for all members
 * @param host the address to bind, in 127.0.0.0/8
 * @param port the port to bind, 1..65535; the next one is not tried
 * @param members addresses of all members, with or without this one, as host:port in 127.0.0.0/8
 * @param relay the id of this relay
 * @param timing the group's timeouts
 * @param proof proves this relay's site and verifies others; empty in a group of one user's relays without keys
 */
public record GroupConfig(
        String cluster, String host, int port, List<String> members, String relay, GroupTiming timing, Optional<SiteProof> proof) {
    private static final String OCTET = "(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
    private static final Pattern LOOPBACK = Pattern.compile("127(\\." + OCTET + "){3}");
    private static final int PORT_MAX = 65_535;

    /**
     * Checks everything and reports all problems together.
     *
     * @throws GroupException with one line
     */
    public GroupConfig {
        members = List.copyOf(members);
        List<String> problems = new ArrayList<>();
        if (cluster.isBlank()) {
            problems.add("the group's name is empty");
        }
        if (relay.isBlank()) {
            problems.add("the relay's id is empty");
        }
        if (!LOOPBACK.matcher(host).matches()) {
            problems.add("group address '" + host
                    + "' is not a loopback address; expected one in 127.0.0.0/8, such as 127.0.0.1");
        }
        if (port < 1 || port > PORT_MAX) {
            problems.add("group port " + port + " is out of range; expected 1..65535");
        }
        for (String member : members) {
            if (!isLoopbackEndpoint(member)) {
                problems.add("group member '" + member + "' is not a loopback address with a port;"
                        + " expected 127.x.y.z:port, forwarded by the tunnel");
            }
        }
        if (!problems.isEmpty()) {
            throw new GroupException(String.join("; ", problems));
        }
    }

    /** A configuration with the timing for a WAN, and without keys. */
    public GroupConfig(String cluster, String host, int port, List<String> members, String relay) {
        this(cluster, host, port, members, relay, GroupTiming.WAN, Optional.empty());
    }

    /** The member's address, as host:port. */
    String endpoint() {
        return host + ":" + port;
    }

    private static boolean isLoopbackEndpoint(String member) {
        int colon = member.lastIndexOf(':');
        if (colon < 0 || !LOOPBACK.matcher(member.substring(0, colon)).matches()) {
            return false;
        }
        String digits = member.substring(colon + 1);
        return digits.matches("\\d{1,5}") && Integer.parseInt(digits) >= 1 && Integer.parseInt(digits) <= PORT_MAX;
    }
}
