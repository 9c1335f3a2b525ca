package org.posthouse.relay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.posthouse.directory.RankEntry;
import org.posthouse.directory.RelayEntry;
import org.posthouse.names.NameRecord;

/** Records of jobs from the postings of their ranks. */
class PostedJobsTest {
    private static RelayEntry relay(String id) {
        return new RelayEntry("site-" + id, id, "h:1", "", "", 1, 1);
    }

    private static RankEntry rank(long job, int rank, String relay, String state) {
        return new RankEntry(job, rank, "site-" + relay, relay, 1, state);
    }

    @Test
    void eachRelayHasItsRanksAndTheirStates() {
        List<RankEntry> ranks = List.of(
                rank(7, 0, "a", "CONNECTED"), rank(7, 1, "a", "AWAY"), rank(7, 2, "a", "CONNECTED"), rank(7, 3, "b", "WAITING"), rank(7, 5, "a", "CONNECTED"),
                rank(0xff, 0, "b", "FINALIZED"));
        assertThat(PostedJobs.records(ranks, List.of(relay("a"), relay("b")))).isEqualTo(Map.of(
                "0000000000000007", Map.of("ranks", "5", "relay a", "site=site-a ranks=0-2,5 AWAY=1 CONNECTED=3", "relay b", "site=site-b ranks=3 WAITING=1"),
                "00000000000000ff", Map.of("ranks", "1", "relay b", "site=site-b ranks=0 FINALIZED=1")));
    }

    @Test
    void aRelayThatIsGoneIsMarkedAndAJobOfSuchRelaysOnlyHasNoRecord() {
        List<RankEntry> ranks = List.of(rank(7, 0, "a", "CONNECTED"), rank(7, 1, "b", "CONNECTED"), rank(8, 0, "b", "CONNECTED"));
        assertThat(PostedJobs.records(ranks, List.of(relay("a")))).isEqualTo(Map.of("0000000000000007",
                Map.of("ranks", "2", "relay a", "site=site-a ranks=0 CONNECTED=1", "relay b", "site=site-b gone=true ranks=1 CONNECTED=1")));
    }

    @Test
    void theLargestJobFitsARecord() {
        List<RankEntry> ranks = new ArrayList<>();
        List<RelayEntry> relays = new ArrayList<>();
        for (int relay = 0; relay < 100; relay++) {
            relays.add(relay("r" + relay));
        }
        for (int rank = 0; rank < 20_000; rank++) {
            ranks.add(rank(7, rank, "r" + rank % 100, "CONNECTED"));
        }
        NameRecord record = NameRecord.of(PostedJobs.records(ranks, relays).get("0000000000000007"));
        assertThat(record.fields()).hasSizeLessThanOrEqualTo(NameRecord.FIELDS_MAX).containsEntry("more", "40 relays").containsEntry("ranks", "20000");
        assertThat(record.field("relay r0")).startsWith("site=site-r0 ranks=0,100,200,").endsWith("… CONNECTED=200");
    }
}
