package org.posthouse.detector;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** How the hosts of a job watch each other (docs/detectors.md). The first four are those of the P2P-MPI chapter. */
public enum DetectorProtocol {
    /** Beats to a host drawn at random in each round. */
    RANDOM,
    /** Round robin: in round r to the host r places further. */
    RR,
    /** Binary round robin: in round r to the host 2^(r-1) places further. */
    BRR,
    /** Double binary round robin: as BRR, then the same distances backwards. */
    DBRR,
    /** Probes, suspicions that the suspect may refute, and Lifeguard's local health. */
    SWIM,
    /** No detector. */
    NONE;

    /** The protocol as the command line has it. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * The protocol with this word.
     *
     * @throws IllegalArgumentException that lists the words, if it is none
     */
    public static DetectorProtocol of(String word) {
        return Arrays.stream(values())
                .filter(each -> each.word().equals(word))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("\"" + word + "\" is no failure detector, expected one of "
                        + Arrays.stream(values()).map(DetectorProtocol::word).collect(Collectors.joining(", "))));
    }
}
