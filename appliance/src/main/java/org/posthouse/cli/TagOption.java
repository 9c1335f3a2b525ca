package org.posthouse.cli;

import org.posthouse.launch.output.RankOutput;
import picocli.CommandLine.Option;

/** How what ranks print is shown. */
final class TagOption {
    @Option(names = "--no-tag", description = "Show what ranks print as it is, without the rank in front of each line.")
    private boolean bare;

    RankOutput output(int ranks) {
        return RankOutput.ownStreams(ranks, !bare, false);
    }

    /** Of a job that another launcher may go on with: that one shows a line from its beginning, so none is shown before it is whole. */
    RankOutput outputOfLines(int ranks) {
        return RankOutput.ownStreams(ranks, !bare, true);
    }
}
