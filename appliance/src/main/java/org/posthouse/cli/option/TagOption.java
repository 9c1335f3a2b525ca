package org.posthouse.cli.option;

import org.posthouse.launch.output.RankOutput;
import picocli.CommandLine.Option;

/** The form in which output of ranks is shown. */
public final class TagOption {
    @Option(names = "--no-tag", description = "Show what ranks print as it is, without the rank in front of each line.")
    private boolean bare;

    /** The output of a job with {@code ranks} ranks, each line behind its rank unless the option is given. */
    public RankOutput output(int ranks) {
        return RankOutput.ownStreams(ranks, !bare, false);
    }

    /** Of a job that another launcher may go on with: that one shows a line from its beginning, so none is shown before it is whole. */
    public RankOutput outputOfLines(int ranks) {
        return RankOutput.ownStreams(ranks, !bare, true);
    }
}
