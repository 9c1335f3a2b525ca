package org.posthouse.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.posthouse.mpj.Endpoints;

/** What a rank's process is started with. */
class RankProcessTest {
    /** Else it would set the other rank's marks, in whose output its own comes. */
    @Test
    void aJobThatARankOfAnotherStartsIsToldNothingOfThat() {
        Map<String, String> environment = new HashMap<>(Map.of(Endpoints.PRINT_MARKS, "0123456789abcdef", Endpoints.RESTARTABLE, "yes", "HOME", "/"));
        RankProcess.sayWhatIsKept(environment, false, null);
        assertThat(environment).isEqualTo(Map.of("HOME", "/"));
        RankProcess.sayWhatIsKept(environment, true, "fedcba9876543210");
        assertThat(environment).isEqualTo(Map.of(Endpoints.PRINT_MARKS, "fedcba9876543210", Endpoints.RESTARTABLE, "yes", "HOME", "/"));
    }
}
