package org.posthouse.directory;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.Objects;
import java.util.Optional;

/**
 * One record of the directory as it is stored and sent: the entry and what decides which of two postings stays.
 *
 * <p>Immutable. Postings of one key are ordered by version, then stamp; {@link #over} and {@link #merge} are the only
 * two ways in which a later posting of a key comes about. In a group without keys both give it a place above those it was made from. In one with keys
 * nobody changes what its relay has signed ({@link PostingProof}): the later one stays as it is, and whose posting came too late signs a later one.
 * Its text is JSON; unknown fields are skipped.
 *
 * @param version the epoch of a relay, the incarnation of a rank
 * @param standing whether the entry is there
 * @param stamp the writer's clock in milliseconds, moved up where needed so that it rises with every change of a key
 * @param member the relay id of the group member through which it was written
 * @param relay set in the posting of a relay
 * @param rank set in the posting of a rank
 * @param endedJob set in the posting that marks a job as ended
 * @param of the relay whose ranks of the job have ended; null if all have, in a group without keys
 * @param seen the stamp of the posting that is called vanished; in a group without keys until that is stored; a relay of before sent it as {@code stamp}
 * @param proof the signature of the relay that it is about; null in a group without keys, and until it leaves this one
 * @param sighting the signature of the relay that calls it vanished
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record Posting(
        long version,
        Standing standing,
        long stamp,
        String member,
        RelayEntry relay,
        RankEntry rank,
        Long endedJob,
        String of,
        Long seen,
        Signed proof,
        Signed sighting) {

    /**
     * A signature by a site's key.
     *
     * @param certificate in DER and Base64
     * @param signature in Base64
     */
    record Signed(String certificate, String signature) {}

    /** WITHDRAWN was said by the relay itself, VANISHED is what the others think when its member is gone. */
    enum Standing {
        PRESENT,
        WITHDRAWN,
        VANISHED
    }

    static final String RELAY_KEYS = "relay/";
    static final String ENDED_KEYS = "job/";
    private static final int EXCERPT_CHARS_MAX = 120;
    private static final ObjectWriter WRITER = JsonMapper.builder().build().writerFor(Posting.class);
    private static final ObjectReader READER = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .build()
            .readerFor(Posting.class);

    Posting {
        Objects.requireNonNull(standing, "standing");
        Objects.requireNonNull(member, "member");
        int contents = (relay == null ? 0 : 1) + (rank == null ? 0 : 1) + (endedJob == null ? 0 : 1);
        if (contents != 1) {
            throw new IllegalArgumentException("posting with " + contents + " contents; expected 1");
        }
    }

    private Posting(long version, Standing standing, long stamp, String member, RelayEntry relay, RankEntry rank, Long endedJob) {
        this(version, standing, stamp, member, relay, rank, endedJob, null, null, null, null);
    }

    static Posting of(RelayEntry entry, String member, long stamp) {
        return new Posting(entry.epoch(), Standing.PRESENT, stamp, member, entry, null, null);
    }

    static Posting of(RankEntry entry, String member, long stamp) {
        return new Posting(entry.incarnation(), Standing.PRESENT, stamp, member, null, entry, null);
    }

    static Posting ended(long job, String member, long stamp) {
        return new Posting(0, Standing.WITHDRAWN, stamp, member, null, null, job);
    }

    /** The same of the ranks that {@code member} is the home of. */
    static Posting endedAt(String member, long job, long stamp) {
        return new Posting(0, Standing.WITHDRAWN, stamp, member, null, null, job, member, null, null, null);
    }

    Posting signed(Signed by) {
        return new Posting(version, standing, stamp, member, relay, rank, endedJob, of, seen, by, sighting);
    }

    Posting sighted(Signed by) {
        return new Posting(version, standing, stamp, member, relay, rank, endedJob, of, seen, proof, by);
    }

    /** The same, said anew: it has to be signed again. */
    Posting again(long now) {
        return new Posting(version, standing, Math.max(now, stamp + 1), member, relay, rank, endedJob, of, null, null, null);
    }

    /** What was called vanished, as its relay had signed it. */
    Posting before() {
        return new Posting(version, Standing.PRESENT, seen, member, relay, rank, endedJob, of, null, proof, null);
    }

    /** Withdraws the given epoch of a relay; {@code known} is what the view says of it, or null. */
    static Posting withdrawn(String relay, long epoch, Posting known, String member, long stamp) {
        RelayEntry entry = known != null && known.version == epoch
                ? known.relay
                : new RelayEntry("", relay, "", "", "", epoch, 0);
        return new Posting(epoch, Standing.WITHDRAWN, stamp, member, entry, null, null);
    }

    /** Says that the relay of this posting vanished; holds only while this very posting is the stored one. */
    Posting vanished(long now) {
        return new Posting(version, Standing.VANISHED, Math.max(now, stamp + 1), member, relay, rank, endedJob, of, stamp, proof, null);
    }

    String key() {
        if (relay != null) {
            return relayKey(relay.relay());
        }
        return rank != null ? rankKey(rank.job(), rank.rank()) : of == null ? endedKey(endedJob) : endedKey(endedJob, of);
    }

    static String relayKey(String relay) {
        return RELAY_KEYS + relay;
    }

    static String rankKey(long job, int rank) {
        return rankKeys(job) + rank;
    }

    static String rankKeys(long job) {
        return "rank/" + job + "/";
    }

    static String endedKey(long job) {
        return ENDED_KEYS + job;
    }

    static String endedKey(long job, String relay) {
        return endedKey(job) + "/" + relay;
    }

    boolean present() {
        return standing == Standing.PRESENT;
    }

    boolean laterThan(Posting other) {
        return version != other.version ? version > other.version : stamp > other.stamp;
    }

    boolean sameAs(Posting other) {
        return standing == other.standing
                && member.equals(other.member)
                && Objects.equals(relay, other.relay)
                && Objects.equals(rank, other.rank)
                && Objects.equals(endedJob, other.endedJob)
                && Objects.equals(of, other.of);
    }

    /**
     * What a store holds once this posting has arrived where {@code stored} (or null) was.
     *
     * @return empty when this posting is refused: it is older, or it calls a relay vanished that wrote again
     */
    Optional<Posting> over(Posting stored) {
        if (standing == Standing.VANISHED) {
            long meant = seen == null ? stamp : seen;
            boolean unmoved = stored != null && stored.present() && version == stored.version && meant == stored.stamp;
            return unmoved ? Optional.of(proof == null ? above(stored) : this) : Optional.empty();
        }
        if (stored == null) {
            return Optional.of(this);
        }
        if (version < stored.version) {
            return Optional.empty();
        }
        if (proof != null) {
            return laterThan(stored) ? Optional.of(this) : Optional.empty();
        }
        Posting next = above(stored);
        boolean nothingNew = next.version == stored.version && next.sameAs(stored);
        return Optional.of(nothingNew ? stored : next);
    }

    /** What a group holds after two parts of it, one with this posting and one with the other, became one. */
    Posting merge(Posting other) {
        if (equals(other)) {
            return this;
        }
        if (proof != null && other.proof != null) {
            boolean later = laterThan(other) || !other.laterThan(this) && text().compareTo(other.text()) > 0;
            return later ? this : other;
        }
        return outranks(other) ? above(other) : other.above(this);
    }

    /** A part that was cut off may have called a living relay vanished, later than that relay wrote. */
    private boolean outranks(Posting other) {
        if (version != other.version) {
            return version > other.version;
        }
        if ((standing == Standing.VANISHED) != (other.standing == Standing.VANISHED)) {
            return other.standing == Standing.VANISHED;
        }
        return stamp != other.stamp ? stamp > other.stamp : text().compareTo(other.text()) > 0;
    }

    private Posting above(Posting other) {
        boolean sameEpoch = relay != null && other.relay != null && version == other.version;
        RelayEntry entry = sameEpoch ? relay.withSinceOf(other.relay) : relay;
        return new Posting(version, standing, Math.max(stamp, other.stamp + 1), member, entry, rank, endedJob, of, null, null, null);
    }

    String text() {
        try {
            return WRITER.writeValueAsString(this);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("directory posting of " + key() + " has no JSON form", e);
        }
    }

    /**
     * Reads what {@link #text} wrote.
     *
     * @throws IllegalArgumentException if it is no posting
     */
    static Posting parse(String text) {
        try {
            return Objects.requireNonNull(READER.readValue(text), "a posting, not null");
        } catch (JsonProcessingException | RuntimeException e) {
            String excerpt = text.substring(0, Math.min(text.length(), EXCERPT_CHARS_MAX));
            throw new IllegalArgumentException("not a directory posting: " + excerpt, e);
        }
    }
}
