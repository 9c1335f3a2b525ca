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
 * One record of the directory as it is stored and sent: an entry, and the fields that decide which of two postings
 * replaces the other. Immutable.
 *
 * <p>Postings of one key are ordered by version, then stamp. Only {@link #over} and {@link #merge} produce a later
 * posting of a key. In a group without keys, both rank the result above the postings it was made from.
 *
 * <p>In a group with keys, nobody changes what its relay has signed ({@link PostingProof}). The later posting stays as
 * it is, and a relay whose posting came too late signs a later one. The text form is JSON; unknown fields are skipped.
 *
 * @param version the epoch of a relay, the incarnation of a rank
 * @param standing whether the entry is present
 * @param stamp the writer's clock in milliseconds, raised where needed so that it grows with every change of a key
 * @param member the relay id of the group member that wrote the posting
 * @param relay set in the posting of a relay
 * @param rank set in the posting of a rank
 * @param endedJob set in the posting that marks a job as ended
 * @param of the relay whose ranks of the job have ended; null if all have, in a group without keys
 * @param seen the stamp of the posting that is called vanished. In a group without keys it is set only until the
 *         posting is stored. Older relays sent it as {@code stamp}.
 * @param proof the signature of the relay that the posting is about; null in a group without keys, and before the
 *         posting leaves this relay
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

    /**
     * WITHDRAWN: the relay itself has said so. VANISHED: the others concluded it because the relay's member is gone.
     */
    enum Standing {
        PRESENT,
        WITHDRAWN,
        VANISHED
    }

    static final String RANK_KEYS = "rank/";
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

    /** Marks a job as ended for the ranks that are at home at {@code member}. */
    static Posting endedAt(String member, long job, long stamp) {
        return new Posting(0, Standing.WITHDRAWN, stamp, member, null, null, job, member, null, null, null);
    }

    Posting signed(Signed by) {
        return new Posting(version, standing, stamp, member, relay, rank, endedJob, of, seen, by, sighting);
    }

    Posting sighted(Signed by) {
        return new Posting(version, standing, stamp, member, relay, rank, endedJob, of, seen, proof, by);
    }

    /** The same content with a new stamp and without signature; it must be signed again. */
    Posting again(long now) {
        return new Posting(version, standing, Math.max(now, stamp + 1), member, relay, rank, endedJob, of, null, null, null);
    }

    /** The posting that was called vanished, as its relay had signed it. */
    Posting before() {
        return new Posting(version, Standing.PRESENT, seen, member, relay, rank, endedJob, of, null, proof, null);
    }

    /**
     * Withdraws the given epoch of a relay.
     *
     * @param known the relay's posting in the view, or null
     */
    static Posting withdrawn(String relay, long epoch, Posting known, String member, long stamp) {
        RelayEntry entry = known != null && known.version == epoch
                ? known.relay
                : new RelayEntry("", relay, "", "", "", epoch, 0);
        return new Posting(epoch, Standing.WITHDRAWN, stamp, member, entry, null, null);
    }

    /** Calls the relay of this posting vanished. This holds only while this very posting is the stored one. */
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
        return RANK_KEYS + job + "/";
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
     * The posting that a store holds after this one arrived.
     *
     * @param stored the posting stored before, or null
     * @return empty if this posting is refused, because it is older or calls a relay vanished that has written again
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

    /** The posting that a group holds after two of its parts, one with each posting, have merged. */
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

    /**
     * Whether this posting wins a merge. VANISHED loses at equal versions: a part that was cut off may have called a
     * living relay vanished, later than that relay wrote.
     */
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
     * Parses the output of {@link #text}.
     *
     * @throws IllegalArgumentException if the text is not a posting
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
