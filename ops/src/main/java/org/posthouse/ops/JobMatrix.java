package org.posthouse.ops;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.posthouse.status.JobStatus;
import org.posthouse.status.PairTraffic;

/**
 * The communication matrix of a job. Immutable.
 *
 * @param job     the job's id
 * @param size    number of its ranks
 * @param at      the server's clock, milliseconds since 1970 UTC
 * @param cells   for each pair with messages: source, destination, messages, bytes
 * @param missing home relays that did not answer: the cells of their ranks are missing
 */
record JobMatrix(String job, int size, long at, List<List<Long>> cells, List<String> missing) {
    /** @param told of each home relay that has answered, what it has delivered */
    static JobMatrix of(JobStatus job, List<List<PairTraffic>> told, List<String> missing) {
        Map<List<Integer>, PairTraffic> pairs = new LinkedHashMap<>();
        told.stream().flatMap(List::stream).map(pair -> ofRanks(pair, job.size())).forEach(pair -> pairs.merge(
                List.of(pair.source(), pair.destination()), pair,
                (one, other) -> new PairTraffic(one.source(), one.destination(), one.messages() + other.messages(), one.bytes() + other.bytes())));
        List<List<Long>> cells = pairs.values().stream()
                .map(pair -> List.of((long) pair.source(), (long) pair.destination(), pair.messages(), pair.bytes()))
                .toList();
        return new JobMatrix(job.id(), job.size(), System.currentTimeMillis(), cells, missing);
    }

    /** A process that has taken a dead one's place has a number of its own (ADR 112); it counts as its rank. */
    private static PairTraffic ofRanks(PairTraffic pair, int ranks) {
        return new PairTraffic(pair.source() % ranks, pair.destination() % ranks, pair.messages(), pair.bytes());
    }
}
