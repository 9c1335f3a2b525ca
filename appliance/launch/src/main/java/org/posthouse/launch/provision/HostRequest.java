package org.posthouse.launch.provision;

/**
 * A request for hosts.
 *
 * @param hosts how many; 0 for as many as {@code slots} needs
 * @param slots ranks that they are to run together; 0, with 0 hosts, for all hosts
 */
public record HostRequest(int hosts, int slots) {
    /** All hosts that the provisioner has. */
    public static final HostRequest ALL = new HostRequest(0, 0);

    /** Checks both. */
    public HostRequest {
        if (hosts < 0 || slots < 0) {
            throw new IllegalArgumentException("a request for " + hosts + " hosts and " + slots + " slots");
        }
    }
}
