class Panewright < Formula
  desc "Drives coding agents in tmux panes to the end of a job without a person watching"
  homepage "https://github.com/@REPOSITORY@"
  version "@VERSION@"
  license "MIT"

  depends_on "tmux"

  on_macos do
    on_arm do
      url "https://github.com/@REPOSITORY@/releases/download/v@VERSION@/panewright-aarch64-apple-darwin.tar.gz"
      sha256 "@SHA256:panewright-aarch64-apple-darwin.tar.gz@"
    end
    on_intel do
      url "https://github.com/@REPOSITORY@/releases/download/v@VERSION@/panewright-x86_64-apple-darwin.tar.gz"
      sha256 "@SHA256:panewright-x86_64-apple-darwin.tar.gz@"
    end
  end

  on_linux do
    on_arm do
      url "https://github.com/@REPOSITORY@/releases/download/v@VERSION@/panewright-aarch64-unknown-linux-gnu.tar.gz"
      sha256 "@SHA256:panewright-aarch64-unknown-linux-gnu.tar.gz@"
    end
    on_intel do
      url "https://github.com/@REPOSITORY@/releases/download/v@VERSION@/panewright-x86_64-unknown-linux-gnu.tar.gz"
      sha256 "@SHA256:panewright-x86_64-unknown-linux-gnu.tar.gz@"
    end
  end

  def install
    bin.install "panewright"
    man1.install Dir["man/man1/*.1"]
    generate_completions_from_executable(bin/"panewright", "completion")
  end

  test do
    assert_match "panewright #{version} ", shell_output("#{bin}/panewright --version")
  end
end
