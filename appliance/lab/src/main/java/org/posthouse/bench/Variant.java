package org.posthouse.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.posthouse.bench.experiment.SizeList;
import org.posthouse.bench.rank.BufferKind;
import org.posthouse.mpj.coll.Algorithms;
import org.posthouse.mpj.progress.Settings;
import org.posthouse.relay.config.EventLoopKind;
import org.posthouse.relay.config.RelayConfig.Mode;
import org.posthouse.relay.config.SocketKind;

/**
 * A way to run a job, where tests compare different ways.
 *
 * @param mode the relays' mode
 * @param sockets implementation of the relays' sockets
 * @param logged whether messages and deliveries are logged
 * @param buffers memory for the messages of pairs, as far as a test lets choose
 * @param algorithm the value that {@code POSTHOUSE_COLLECTIVES} forces, as {@code bcast=chain}; empty if the library
 *     chooses
 * @param settings values that the environment sets for the ranks; empty for the library's own
 * @param delivery where the ranks of two sites are at home; empty if each site has its relays, and no others between
 */
public record Variant(
        Mode mode,
        SocketKind sockets,
        boolean logged,
        BufferKind buffers,
        String algorithm,
        Optional<Settings> settings,
        Optional<Delivery> delivery) {
    /** @throws IllegalArgumentException if the algorithm is not known: what it is, and what is */
    public Variant {
        Algorithms.parse(algorithm);
    }

    /** Ranks at home at the relays of their sites. */
    public Variant(Mode mode, SocketKind sockets, boolean logged, BufferKind buffers, String algorithm, Optional<Settings> settings) {
        this(mode, sockets, logged, buffers, algorithm, settings, Optional.empty());
    }

    /** Each of them with each delivery; as they are if there is none. */
    public static List<Variant> delivered(List<Variant> variants, List<Delivery> deliveries) {
        return deliveries.isEmpty() ? variants
                : variants.stream().flatMap(variant -> deliveries.stream().map(variant::by)).toList();
    }

    private Variant by(Delivery other) {
        return new Variant(mode, sockets, logged, buffers, algorithm, settings, Optional.of(other));
    }

    /** Every combination, in the order given; without settings, of the library's own. */
    public static List<Variant> all(
            List<Mode> modes,
            List<SocketKind> sockets,
            List<Boolean> logged,
            List<BufferKind> buffers,
            List<String> algorithms,
            List<Settings> settings) {
        List<Optional<Settings>> choices =
                settings.isEmpty() ? List.of(Optional.empty()) : settings.stream().map(Optional::of).toList();
        List<Variant> variants = new ArrayList<>();
        for (Mode mode : modes) {
            for (SocketKind kind : sockets) {
                for (boolean log : logged) {
                    for (BufferKind memory : buffers) {
                        for (String algorithm : algorithms) {
                            choices.forEach(choice -> variants.add(new Variant(mode, kind, log, memory, algorithm, choice)));
                        }
                    }
                }
            }
        }
        return variants;
    }

    /** The relays' event loops. They poll as busily as the ranks do. */
    EventLoopKind loops() {
        return new EventLoopKind(sockets, settings.map(Settings::busyPollUs).orElse(0));
    }

    /**
     * The variant in the ranks' environment: all values that a label names, so that no rank inherits one from the
     * bench.
     */
    Map<String, String> environment() {
        Settings set = settings.orElse(Settings.DEFAULT);
        return Map.of(
                Algorithms.VARIABLE, algorithm, Settings.EAGER_MAX, Integer.toString(set.eagerBytesMax()), Settings.BUSY_POLL,
                Integer.toString(set.busyPollUs()));
    }

    /** The word of {@code --durability}. */
    public String durability() {
        return logged ? "process" : "none";
    }

    /** In a table and in a plot's legend. */
    public String label() {
        return mode.word() + (sockets == SocketKind.AUTO ? "" : " " + sockets.word()) + " " + durability()
                + (buffers == BufferKind.DIRECT ? "" : " " + buffers.word()) + (algorithm.isEmpty() ? "" : " " + algorithm)
                + settings.map(set -> " eager " + SizeList.text(set.eagerBytesMax())
                        + (set.busyPollUs() == 0 ? "" : " poll " + set.busyPollUs()))
                        .orElse("")
                + delivery.map(path -> " " + path).orElse("");
    }
}
