package org.posthouse.names.raft;

/**
 * Times and sizes of a set of judges. Immutable.
 *
 * @param electionMsMin milliseconds of silence of the leader after which another judge may stand for election
 * @param electionMsMax the most of them; each judge takes a random time between
 * @param answerMs milliseconds after which a call fails with UNAVAILABLE
 * @param snapshotEntries entries of the log after which a judge writes a snapshot, and cuts its log behind it
 * @param segmentBytes bytes of one file of the log
 */
public record RaftTiming(int electionMsMin, int electionMsMax, int answerMs, int snapshotEntries, int segmentBytes) {
    private static final int ELECTION_MS_MIN = 50;

    /**
     * For judges at several sites: a leader that has died is replaced within about a second, before the front ends pass over a winner that died with it (2 s
     * of the 3 that an election may take), and a link with a round trip of 150 ms does not look dead. The log has some 4 MiB and a snapshot.
     */
    public static final RaftTiming WAN = new RaftTiming(300, 600, 5_000, 10_000, 1 << 20);

    /** Refuses what cannot work. */
    public RaftTiming {
        if (electionMsMin < ELECTION_MS_MIN || electionMsMax <= electionMsMin) {
            throw new IllegalArgumentException(
                    "an election after " + electionMsMin + " to " + electionMsMax + " ms, expected at least " + ELECTION_MS_MIN
                            + ", and more at most than at least");
        }
        if (answerMs < electionMsMax) {
            throw new IllegalArgumentException("an answer within " + answerMs + " ms, expected at least the " + electionMsMax + " of an election");
        }
        if (snapshotEntries < 1 || segmentBytes < 1) {
            throw new IllegalArgumentException("a snapshot after " + snapshotEntries + " entries, files of " + segmentBytes + " bytes, expected at least 1");
        }
    }
}
