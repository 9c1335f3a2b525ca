package org.posthouse.bench.scale;

import java.util.Optional;
import org.posthouse.bench.carrier.Carrier;
import org.posthouse.relay.config.RelayConfig.Mode;

/**
 * One line of a plot of {@code bench scale}.
 *
 * @param mode the relays' mode, if relays carry it
 * @param logged whether messages are logged
 */
record ScaleSeries(Carrier carrier, Optional<Mode> mode, boolean logged) {
    static ScaleSeries baseline(Carrier carrier) {
        return new ScaleSeries(carrier, Optional.empty(), false);
    }

    static ScaleSeries relayed(Mode mode, boolean logged) {
        return new ScaleSeries(Carrier.RELAY, Optional.of(mode), logged);
    }

    String durability() {
        return logged ? "process" : "none";
    }

    String label() {
        return mode.map(mode -> mode.word() + " " + durability()).orElseGet(carrier::label);
    }
}
