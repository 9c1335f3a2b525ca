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
 * How a job is run, where tests compare different ways.
 *
 * @param mode the relays' mode
 * @param sockets what the relays' sockets are made of
 * @param logged whether messages and deliveries are logged
 * @param buffers what the messages of pairs are kept in, as far as a test lets choose
 * @param algorithm what {@code POSTHOUSE_COLLECTIVES} forces, as {@code bcast=chain}; empty if the library chooses
 * @param settings what the environment sets for the ranks; empty for the library's own
 */
public record Variant(
        Mode mode, SocketKind sockets, boolean logged, BufferKind buffers, String algorithm, Optional<Settings> settings) {
    /** @throws IllegalArgumentException if the algorithm is not known: what it is, and what is */
    public Variant {
        Algorithms.parse(algorithm);
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

    /** What the ranks' environment says of it: all that a label names, so that no rank has it from the bench's own. */
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
                        .orElse("");
    }
}
