package org.posthouse.launch.place;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.posthouse.launch.job.JobFailure;

/** The option {@code --sites}. */
class SiteRestrictionTest {
    @Test
    void readsSitesWithAndWithoutNumbers() throws Exception {
        assertThat(SiteRestriction.parse("b, a").ranks()).containsExactly(Map.entry("b", SiteRestriction.ANY), Map.entry("a", SiteRestriction.ANY));
        assertThat(SiteRestriction.parse("b:4,a:12").ranks()).containsExactly(Map.entry("b", 4), Map.entry("a", 12));
        assertThat(SiteRestriction.parse("b:4").isExact()).isTrue();
        assertThat(SiteRestriction.parse("b").isExact()).isFalse();
        assertThat(SiteRestriction.NONE.allows("x")).isTrue();
        assertThat(SiteRestriction.parse("b").allows("x")).isFalse();
    }

    @Test
    void refusesAnythingElseInOneLine() {
        assertRefused("", "'' is not SITE or SITE:RANKS");
        assertRefused("a,,b", "'' is not SITE or SITE:RANKS");
        assertRefused("a:1:2", "'a:1:2' is not SITE or SITE:RANKS");
        assertRefused("a:0", "'0' is not a number of ranks from 1");
        assertRefused("a:x", "'x' is not a number of ranks from 1");
        assertRefused("a:9999999999", "'9999999999' is not a number of ranks from 1");
        assertRefused("a:1,a:2", "site a twice");
        assertRefused("a:1,b", "give the number of ranks for all sites or for none");
    }

    private static void assertRefused(String option, String why) {
        assertThatThrownBy(() -> SiteRestriction.parse(option)).isInstanceOf(JobFailure.class).hasMessage("--sites " + option + ": " + why);
    }
}
