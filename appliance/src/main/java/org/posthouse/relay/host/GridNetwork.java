package org.posthouse.relay.host;

/** The names of an {@link EmbeddedGrid}'s sites, and the network between their relays. Called while the grid starts. */
public interface GridNetwork {
    /** The loopback itself: site-a to site-z; further ones are site-27, site-28, … */
    GridNetwork LOOPBACK = new GridNetwork() {
        @Override
        public String site(int index) {
            return index < 26 ? "site-" + (char) ('a' + index) : "site-" + (index + 1);
        }

        @Override
        public int road(String from, String to, int port) {
            return port;
        }
    };

    /** The name of a site, counted from 0. */
    String site(int index);

    /** The loopback port by which one site reaches {@code port} of another one, or its own. */
    int road(String from, String to, int port);
}
