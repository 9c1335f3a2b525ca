package org.posthouse.directory;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All postings as one process knows them.
 *
 * <p>Thread-safe: reads take no lock, changes hold one for the time of one map operation (of one pass over a job's
 * ranks when it ends). A key only moves up in the order of its postings, whatever order they arrive in, so what is told
 * twice or late does no harm.
 */
final class View {
    private static final Logger LOG = LoggerFactory.getLogger(View.class);

    private final ConcurrentSkipListMap<String, Posting> postings = new ConcurrentSkipListMap<>();
    private final PostingProof proof;
    private final Consumer<String> onRefused;

    /** Takes all that comes. */
    View() {
        this(PostingProof.NONE, why -> {});
    }

    /** @param onRefused is told of each posting of others that is not believed; for any thread */
    View(PostingProof proof, Consumer<String> onRefused) {
        this.proof = proof;
        this.onRefused = onRefused;
    }

    /** Takes a posting made here; empty when it is refused by what is known already, which is logged. */
    Optional<Posting> write(Posting posting) {
        Posting held;
        Optional<Posting> result;
        synchronized (this) {
            held = postings.get(posting.key());
            result = ofEndedJob(posting) ? Optional.empty() : posting.over(held);
            result.ifPresent(this::store);
        }
        if (result.isEmpty()) {
            LOG.info("directory: {} at {} refused, known is {}", posting.key(), posting.version(),
                    held == null ? "that its job has ended" : held.standing() + " at " + held.version());
        }
        return result;
    }

    /** Takes a posting that others hold, if it is believed; what is known already stays when it is later. */
    void learn(Posting posting) {
        if (!isNews(posting) || !believes(posting)) {
            return;
        }
        synchronized (this) {
            if (isNews(posting)) {
                store(posting);
            }
        }
    }

    /** One of ours has its signature when it comes back. */
    private boolean isNews(Posting posting) {
        Posting held = postings.get(posting.key());
        return !ofEndedJob(posting) && (held == null || posting.laterThan(held) || held.equals(posting.signed(null)) && !held.equals(posting));
    }

    /** Whether what somebody says is proven. What is held has been believed before. */
    boolean believes(Posting posting) {
        if (posting.equals(postings.get(posting.key()))) {
            return true;
        }
        Optional<String> refusal = proof.refusal(posting);
        refusal.ifPresent(onRefused);
        return refusal.isEmpty();
    }

    /** Says one of ours anew, if it is still what is known. */
    Optional<Posting> again(Posting posting, long now) {
        Posting next = posting.again(now);
        return postings.replace(posting.key(), posting, next) ? Optional.of(next) : Optional.empty();
    }

    private void store(Posting posting) {
        postings.put(posting.key(), posting);
        if (posting.endedJob() != null) {
            ranksOf(posting.endedJob()).values().removeIf(this::ofEndedJob);
        }
    }

    private boolean ofEndedJob(Posting posting) {
        return posting.rank() != null && ended(posting.rank());
    }

    /** Whether its job has ended, or its relay's part of it. */
    boolean ended(RankEntry rank) {
        return postings.containsKey(Posting.endedKey(rank.job())) || postings.containsKey(Posting.endedKey(rank.job(), rank.relay()));
    }

    Posting get(String key) {
        return postings.get(key);
    }

    List<Posting> all() {
        return List.copyOf(postings.values());
    }

    List<Posting> relayPostings() {
        return List.copyOf(subMap(Posting.RELAY_KEYS).values());
    }

    List<Posting> endedPostings() {
        return List.copyOf(subMap(Posting.ENDED_KEYS).values());
    }

    /** Drops the posting unless a later one has come. */
    void drop(Posting posting) {
        postings.remove(posting.key(), posting);
    }

    List<RelayEntry> relays() {
        return subMap(Posting.RELAY_KEYS).values().stream()
                .filter(Posting::present)
                .map(Posting::relay)
                .sorted(RelayEntry.ORDER)
                .toList();
    }

    /** 0 if nothing is known of it. */
    long epoch(String relay) {
        Posting known = postings.get(Posting.relayKey(relay));
        return known == null ? 0 : known.version();
    }

    List<RankEntry> ranks(long job) {
        return ranksOf(job).values().stream().map(Posting::rank).sorted(RankEntry.ORDER).toList();
    }

    private ConcurrentNavigableMap<String, Posting> ranksOf(long job) {
        return subMap(Posting.rankKeys(job));
    }

    private ConcurrentNavigableMap<String, Posting> subMap(String prefix) {
        return postings.subMap(prefix, prefix + Character.MAX_VALUE);
    }
}
