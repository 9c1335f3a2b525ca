package org.posthouse.relay;

/** What the sites of an {@link EmbeddedGrid} are called, and over what their relays reach each other. Called while the grid starts. */
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

    /** The name of a site, from 0. */
    String site(int index);

    /** The port of the loopback by which one site reaches what listens at {@code port} in another one, or in its own. */
    int road(String from, String to, int port);
}
