package org.posthouse.launch.provision;

import java.util.List;

/**
 * Hosts on which agents are being started for one request.
 *
 * @param number distinguishes the grants of a provisioner
 * @param hosts each has, or will soon have, an agent; or is lost, as an event tells
 */
public record HostGrant(long number, List<HostSlots> hosts) {
    /** Copies the list. */
    public HostGrant {
        hosts = List.copyOf(hosts);
    }
}
