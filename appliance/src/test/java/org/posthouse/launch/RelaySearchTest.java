package org.posthouse.launch;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.posthouse.wire.Token;

/** What is said of relays that were named and cannot be reached. */
class RelaySearchTest {
    /** Ports of which no program of ours is ever given one by the system. */
    private static final String NOBODY = "127.0.0.1:1";

    private static final String NEITHER = "127.0.0.1:2";

    private static void find(String... addresses) throws JobFailure {
        RelaySearch.find(new Reach(List.of(addresses), 0, 0, Token.NONE), 2);
    }

    @Test
    void whoNamesARelayThatIsNotThereHearsWhatToDo() {
        assertThatExceptionOfType(JobFailure.class)
                .isThrownBy(() -> find(NOBODY))
                .withMessage("cannot reach the relay at 127.0.0.1:1: Connection refused; start it (posthouse relay --site SITE --listen 127.0.0.1:1),"
                        + " or give --relay the address at which it says that it listens; without --relay the job runs over relays of its own");
    }

    @Test
    void whoNamesSeveralMayLeaveItOut() {
        assertThatExceptionOfType(JobFailure.class)
                .isThrownBy(() -> find(NOBODY, NEITHER))
                .withMessage("cannot reach the relay at 127.0.0.1:1: Connection refused; start it (posthouse relay --site SITE --listen 127.0.0.1:1),"
                        + " or give --relay the address at which it says that it listens, or leave it out: another is named");
    }
}
